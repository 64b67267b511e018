import { environmentName } from "./find-setting";
import type { Settings } from "./settings";

const willFail = "the update will fail: ";
const address = { what: "no address of the service", command: "pulumi config set cloudvoice:baseUrl <address>" };
const key = { what: "no API key", command: "pulumi config set --secret cloudvoice:apiKey" };

/** The problem of settings that an update needs, but a preview does not. Undefined if none is missing. */
export function missingSettingsProblem(
  settings: Pick<Settings, "apiKey" | "voiceBaseUrl" | "imageBaseUrl" | "decisionBaseUrl">,
): string | undefined {
  const { apiKey, voiceBaseUrl, imageBaseUrl, decisionBaseUrl } = settings;
  const missing = [
    ...((voiceBaseUrl ?? imageBaseUrl ?? decisionBaseUrl) === undefined ? [{ ...address, name: "baseUrl" }] : []),
    ...(apiKey === undefined ? [{ ...key, name: "apiKey" }] : []),
  ];
  if (missing.length === 0) return undefined;
  const joined = (parts: string[]) => parts.join(" and ");
  return (
    `${willFail}${joined(missing.map(({ what }) => what))} ${missing.length === 1 ? "is" : "are"} set. ` +
    `Run ${joined(missing.map(({ command }) => `\`${command}\``))}, ` +
    `or set ${joined(missing.map(({ name }) => environmentName(name)))}.`
  );
}

/** Finds that problem in the lines of a preview. */
export function missingSettingsIn(lines: readonly string[]): string | undefined {
  const line = lines.find((each) => [address, key].some(({ what }) => each.includes(`${willFail}${what}`)));
  return line?.slice(line.indexOf(willFail));
}
