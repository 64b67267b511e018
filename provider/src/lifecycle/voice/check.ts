import { audioWarning, type AudioFile, looksSigned, uncheckedRecordings } from "../../rules/audio";
import { checkFailure, type CheckFailure, type InputProblem, problemsWith } from "../../rules/inputs";
import { chooseName, looksGenerated } from "../../rules/naming";
import { withoutSignature } from "../../rules/public-url";
import { rightsProblem } from "../../rules/rights";
import { unknownValue } from "../../rules/values";
import { adoptedReplacementProblem, type CheckedVoice, hasGeneratedName, voiceReplacements } from "../../rules/voice";
import { checkVoiceInputs } from "../../rules/voice-fields";
import type { Resource } from "../lifecycle";
import type { Operation, Reading } from "../operation";
import { recordingOf, withRecordingOf } from "../properties";
import { planAdoption, previewedAdoption } from "./adopt";
import { noRoomProblem } from "./quota";

type VoiceArgs = Partial<CheckedVoice>;

/** Checks the inputs of a voice, and adds its name and the facts about its recording. */
export async function checkVoice(
  operation: Operation,
  passed: VoiceArgs,
  olds: VoiceArgs | undefined,
  resource: Resource,
  unresolved: ReadonlySet<string>,
): Promise<{ inputs: VoiceArgs; failures: CheckFailure[] }> {
  const { settings, quota } = operation;
  const { options, secrets } = resource;
  const checked = (inputs: VoiceArgs, problems: InputProblem[]) => {
    return { inputs, failures: problems.map((problem) => checkFailure(problem, secrets)) };
  };
  quota.tell(resource);
  if (options.ignoresEverything) return checked(passed, checkRights(operation, passed, resource, unresolved));
  const { keepsRecording } = options;
  const news = keepsRecording ? withRecordingOf(olds ?? {}, passed) : passed;
  const unknown = keepsRecording ? new Set([...unresolved].filter((name) => name !== "audio")) : unresolved;
  const isRead = !keepsRecording && !process.env[uncheckedRecordings];
  const recording = isRead ? await recordingOf(operation, news.audio) : undefined;
  const problems = checkVoiceInputs(news, unknown, {
    audio: recording,
    extraTargetModels: settings.extraTargetModels,
  });
  if (problems.length > 0) return checked(news, problems);

  const file = recording?.state === "audio" ? recording : undefined;
  warnOfAudio(operation, news.audio, file, resource);
  const name = nameOf(operation, news, file, { olds, resource, unknown });
  const inputs = { ...news, ...name, ...(file && recordingFacts(file)) };
  // The engine passes no old inputs for a create and for the second check of a replacement.
  const inContext = olds
    ? checkChange(operation, olds, inputs, resource, unknown)
    : await checkCreate(operation, inputs, resource, unknown);
  return checked(inputs, [...inContext, ...checkRights(operation, news, resource, unknown)]);
}

function warnOfAudio({ log }: Reading, audio: unknown, file: AudioFile | undefined, { secrets }: Resource): void {
  const isSecret = secrets?.has("audio") !== false;
  const warning = file && audioWarning(file);
  if (warning !== undefined) log.warn(`${isSecret ? "the audio file" : String(audio)} ${warning}`);
  if (isSecret || typeof audio !== "string" || !/^https?:/i.test(audio) || !looksSigned(audio)) return;
  const { origin, pathname } = new URL(audio);
  log.warn(
    `the audio URL ${origin}${pathname} looks signed: it will have expired when the voice has to be created again` +
      (withoutSignature(audio) === audio ? "" : ". The signature is ignored in comparisons and in the generated name"),
  );
}

function nameOf(
  operation: Reading,
  news: VoiceArgs,
  file: AudioFile | undefined,
  { olds, resource, unknown }: { olds: VoiceArgs | undefined; resource: Resource; unknown: ReadonlySet<string> },
): Pick<CheckedVoice, "preferredName" | "nameVersion" | "noteName"> {
  const { identity, secrets } = resource;
  const name = chooseName(news, {
    unknown,
    audio: unknown.has("audio") ? undefined : (file?.sha256 ?? String(news.audio)),
    identity: operation.namingIdentity(identity),
    olds,
    secrets,
    apiKey: operation.settings.apiKey,
  });
  return name ?? { preferredName: unknownValue };
}

function recordingFacts({ sha256, seconds }: AudioFile): Pick<CheckedVoice, "audioSha256" | "audioSeconds"> {
  return { audioSha256: sha256, ...(seconds !== undefined && { audioSeconds: seconds }) };
}

/** A generated name shows for which resource a voice was created, so a chosen name must not look generated. */
function chosenNameProblem(inputs: VoiceArgs): string | undefined {
  if (hasGeneratedName(inputs) || !looksGenerated(inputs.preferredName ?? "")) return undefined;
  return "ends like a generated name: an underscore, a digit, and six digits or small letters. Choose another ending";
}

async function checkCreate(
  operation: Operation,
  inputs: VoiceArgs,
  resource: Resource,
  unknown: ReadonlySet<string>,
): Promise<InputProblem[]> {
  const { plan, checks } = operation;
  const { adopt } = inputs;
  if (adopt === undefined) {
    const problem = chosenNameProblem(inputs);
    if (problem !== undefined) return problemsWith("preferredName", problem);
    checks.expectCreate(resource);
  } else if (!unknown.has("adopt")) {
    const problem = await previewedAdoption(operation, inputs);
    if (plan.problem(resource, problem && `adopt: ${problem}`)) return problemsWith("adopt", problem);
    if (problem === undefined) await plan.noting(resource, () => planAdoption(operation, adopt, resource));
  }
  return problemsWith("", plan.problem(resource, await noRoomProblem(operation, inputs, resource)));
}

function checkChange(
  { log }: Reading,
  olds: VoiceArgs,
  inputs: VoiceArgs,
  { secrets }: Resource,
  unknown: ReadonlySet<string>,
): InputProblem[] {
  const replaces = voiceReplacements(olds, inputs, unknown);
  if (inputs.adopt !== undefined && inputs.adopt !== olds.adopt && replaces.length === 0) {
    log.line(
      `adopt${secrets?.has("adopt") === false ? `: ${JSON.stringify(inputs.adopt)}` : ""} has no effect: ` +
        "it is read when a resource is created, and this resource already has a voice",
    );
  }
  // An unknown value may turn out unchanged, so only the update judges it.
  const names = replaces.filter((name) => !unknown.has(name));
  return problemsWith("adopt", adoptedReplacementProblem(olds, inputs, names));
}

/** Checks the rights in each operation, because rights expire without a change of the program. */
function checkRights(
  { settings, service, log }: Reading,
  { rights }: VoiceArgs,
  { name, secrets }: Resource,
  unknown: ReadonlySet<string>,
): InputProblem[] {
  const { requireRights } = settings;
  if (unknown.has("rights") || (rights === undefined && requireRights === "off")) return [];
  const problem = rightsProblem(rights, service.clock.now(), secrets?.has("rights") !== false);
  if (problem === undefined) return [];
  if (requireRights === "error") return problemsWith("", `the voice ${problem} (cloudvoice:requireRights is error)`);
  // One line for all voices without rights: there may be a thousand.
  if (rights === undefined) log.warnOnce("no rights", `${name} ${problem}${moreRights}`);
  else log.warnOnce(`rights of ${name}`, `${name} ${problem}`);
  return [];
}

const moreRights = ". `npx --no-install pulumi-cloudvoice voices --rights --json` prints the rights of all voices";
