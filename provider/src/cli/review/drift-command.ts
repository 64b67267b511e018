import { InputError } from "../../errors";
import { neededStack, projectAndStack, settingsOf, statesOf, unheld, withRights, withService } from "../stack";
import type { ReviewOptions } from "./options";
import { driftOf, driftText, hasDrift } from "./drift";
import { type Form, formOf, jsonOf, saveReview } from "./forms";
import { code } from "./markdown";
import { exitCodes } from "./verdict";

/** `review --drift`. */
export async function runDrift(
  source: string | undefined,
  { stack: named, format, json, save }: ReviewOptions,
): Promise<void> {
  if (source !== undefined) throw new InputError("--drift reads no preview. Leave the file out.");
  const forms = [json ? "json" : format, ...save.map(formOf)];
  if (forms.includes("html")) throw new InputError("--drift has no HTML page. Use text, Markdown or JSON.");
  const stack = await neededStack("--drift", named);
  const states = statesOf(stack);
  const [held, settings] = [await states.own(), await settingsOf(stack)];
  await withService(settings, async (service) => {
    // `find` makes certain that a voice that the list lacks does not exist.
    const found = await Promise.all(held.holders.map(({ voice }) => service.account.find(voice)));
    const rows = [...(await service.account.voices()), ...found.filter((row) => row !== undefined)];
    const compared = driftOf({
      acceptMissing: settings.acceptMissing,
      named: projectAndStack(stack),
      held: await withRights([held]),
      read: held.readers ?? [],
      listed: [...new Map(rows.map((row) => [row.voice, row])).values()],
      fingerprint: service.voiceFingerprint(),
      rotatedFrom: settings.rotatedFrom,
      nowMs: service.now(),
    });
    if ("unknown" in compared) throw new InputError(`The drift is not known: ${compared.unknown}.`);
    const drift = { ...compared, orphans: await unheld(states, compared.orphans) };
    const formatDrift = (form: Form) => {
      if (form === "json") return jsonOf(drift);
      return form === "markdown" ? driftText(drift, stack, settings, code, "### ") : driftText(drift, stack, settings);
    };
    for (const file of save) await saveReview(file, formatDrift(formOf(file)));
    process.stdout.write(formatDrift(json ? "json" : format));
    process.exitCode = hasDrift(drift) ? exitCodes.changes : exitCodes.noChanges;
  });
}
