import { environmentName } from "./find-setting";
import type { Settings } from "./settings";

/*
 * Lines that a preview logs and a review reads, because no step of the preview has their facts: e.g. a gate whose
 * answers are secret. Each line is written and recognised only here. The engine may add text around a line, so a review
 * finds it by a part.
 */

/** An update will stop at a decision. `reasons`: the expectations that its kept answers do not meet. */
export const closedGate = {
  write: (name: string, reasons: string) =>
    `${startOfClosedGate(name)}: the kept answers do not meet the expectations: ${reasons}. ` +
    "`npx --no-install pulumi-cloudvoice review` lists what waits behind it",
  isIn: (line: string, name: string) => line.includes(startOfClosedGate(name)),
};

const startOfClosedGate = (name: string) =>
  `the update will stop at the decision ${name}, and what depends on it will not be made`;

/** An update needs more voices than the account, or the stack, may have. */
export const overQuota = {
  write: (problem: string) => `${problem} ${quotaCode}`,
  isIn: (line: string) => line.includes(quotaCode),
};

const quotaCode = "(VoiceQuotaExceeded)";

/** Settings that an update needs and a preview does not. */
export const missingSettings = {
  write(settings: Pick<Settings, "apiKey" | "voiceBaseUrl" | "imageBaseUrl" | "decisionBaseUrl">): string | undefined {
    const { apiKey, voiceBaseUrl, imageBaseUrl, decisionBaseUrl } = settings;
    const missing = [
      ...((voiceBaseUrl ?? imageBaseUrl ?? decisionBaseUrl) === undefined ? [address] : []),
      ...(apiKey === undefined ? [key] : []),
    ];
    if (missing.length === 0) return undefined;
    const joined = (parts: string[]) => parts.join(" and ");
    return (
      `${willFail}${joined(missing.map(({ what }) => what))} ${missing.length === 1 ? "is" : "are"} set. ` +
      `Run ${joined(missing.map(({ command }) => `\`${command}\``))}, ` +
      `or set ${joined(missing.map(({ name }) => environmentName(name)))}.`
    );
  },
  findIn(lines: readonly string[]): string | undefined {
    const line = lines.find((each) => [address, key].some(({ what }) => each.includes(`${willFail}${what}`)));
    return line?.slice(line.indexOf(willFail));
  },
};

const willFail = "the update will fail: ";
const address = {
  ...{ name: "baseUrl", what: "no address of the service" },
  command: "pulumi config set cloudvoice:baseUrl <address>",
};
const key = { name: "apiKey", what: "no API key", command: "pulumi config set --secret cloudvoice:apiKey" };
