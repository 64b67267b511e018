import { createHash, createHmac } from "node:crypto";
import type { z } from "zod";
import { longestName } from "./contract";
import { inputsIn } from "./inputs";
import { withoutSignature } from "./public-url";
import { nameInUrn } from "./resource-types";
import type { CheckedVoice, VoiceOutputs } from "./voice";
import { voiceInputs } from "./voice-fields";

/** The version of the readable part. A new version affects only new voices, because a voice keeps its name. */
export const nameVersion = 1;
/** Must never change: a voice that another release created is found by the hash in its name. */
const hashVersion = 1;

const hashCharacters = 7;
const readableCharacters = longestName - hashCharacters - 1;

/** Identifies a resource. Two resources never have the same identity. */
export interface Identity {
  /** Distinguishes teams with the same project and stack names on one account. */
  namespace: string;
  urn: string;
}

/** The inputs in the hash since the first release, in the order of the hash. */
const firstInputs = ["targetModel", "audio", "text", "language", "triggers"];
/** Inputs of later releases. The hash has them only if they are set, so that existing voices keep their names. */
const laterInputs = inputsIn(voiceInputs)
  .filter(({ name, meaning }) => meaning.change === "replaces" && name !== "preferredName")
  .flatMap(({ name }) => (firstInputs.includes(name) ? [] : [name]));
/** The inputs in the hash. If one of them is secret, the hash needs a key. */
export const contentInputs = [...firstInputs, ...laterInputs];

/** The content of a voice. `audio`: the recording's SHA-256, or its URL without a signature. */
export type VoiceContent = Omit<z.infer<typeof voiceInputs>, "preferredName" | "adopt" | "rights">;

/**
 * Generates a name that identifies a resource and its content: equal for equal content, and different for all other
 * content. So if the response to a create was lost, the voice can be found in the account's list. The name is a
 * readable part, an underscore, and a hash of 34 bits: a digit, and six of `0-9a-z`. `secretKey` is needed if an input is secret:
 * the state shows all other values, so without the key its readers could test guesses of the secret with the hash.
 */
export function generateName(identity: Identity, content: VoiceContent, secretKey?: string): string {
  const valueOf = (name: string) => (content as Record<string, unknown>)[name];
  const values = firstInputs.map((name) => valueOf(name) ?? (name === "triggers" ? [] : null));
  const later = [...laterInputs, "chosenName"].flatMap((name) =>
    valueOf(name) === undefined ? [] : [[name, valueOf(name)]],
  );
  // @persisted
  const parts = [hashVersion, identity.namespace, identity.urn, ...values, ...later];
  const hasher = secretKey === undefined ? createHash("sha256") : createHmac("sha256", `cloudvoice name\0${secretKey}`);
  return `${readablePart(identity.urn)}_${shortened(hasher.update(JSON.stringify(parts)).digest())}`;
}

/** A digit and six of `0-9a-z`. A name that people make, e.g. `guide_english`, does not end so. */
function shortened(digest: Buffer): string {
  const number = digest.readBigUInt64BE(0);
  return `${number % 10n}${((number / 10n) % 36n ** 6n).toString(36).padStart(6, "0")}`;
}

/** The beginnings of the first three words of a name: `narra_en` for `narrator-en`, `narra_En` for `narratorEn`. */
function readablePart(urn: string): string {
  let words = nameInUrn(urn)
    .split(/[^0-9A-Za-z]|(?<=[0-9a-z])(?=[A-Z])/)
    .filter((word) => word !== "");
  // Voices of a catalog are named `<catalog>-<key>`: all begin with the same word.
  if (words.length > 1 && urn.includes("VoiceCatalog$")) words.shift();
  words.splice(3);
  while (words.join("_").length > readableCharacters) {
    const longest = Math.max(...words.map((word) => word.length));
    const last = words.findLastIndex((word) => word.length === longest);
    words = words.map((word, index) => (index === last ? word.slice(0, -1) : word));
  }
  return words.join("_") || "voice";
}

/** The values that a name depends on, besides the inputs. */
export interface NamingFacts {
  unknown: ReadonlySet<string>;
  /** The recording's hash or URL. Undefined while it is not known. */
  audio: string | undefined;
  identity: Identity | undefined;
  olds?: Partial<CheckedVoice> | undefined;
  /** The names of secret inputs. Undefined if they are not known. */
  secrets: ReadonlySet<string> | undefined;
  apiKey?: string | undefined;
}

/**
 * An existing voice, for which the engine passes old inputs, keeps its name: a rotated API key changes only new names.
 * Beside a chosen name, `noteName` is a generated name, which depends on the chosen one too. Undefined while an input
 * of the generated name is unknown, or if an input is secret and there is no API key.
 */
export function chooseName(
  inputs: Readonly<Record<string, unknown>>,
  facts: NamingFacts,
): Pick<CheckedVoice, "preferredName" | "nameVersion" | "noteName"> | undefined {
  const { unknown, olds = {} } = facts;
  if (typeof inputs.preferredName === "string") {
    const isKept = olds.preferredName === inputs.preferredName && olds.noteName !== undefined;
    const noteName = isKept ? olds.noteName : generatedName({ ...inputs, chosenName: inputs.preferredName }, facts);
    return { preferredName: inputs.preferredName, ...(noteName !== undefined && { noteName }) };
  }
  if (unknown.has("preferredName")) return undefined;
  if (olds.preferredName !== undefined) {
    const { preferredName, nameVersion: version, noteName } = olds;
    return {
      preferredName,
      ...(version !== undefined && { nameVersion: version }),
      ...(noteName !== undefined && { noteName }),
    };
  }
  const preferredName = generatedName(inputs, facts);
  return preferredName === undefined ? undefined : { preferredName, nameVersion };
}

function generatedName(
  inputs: Readonly<Record<string, unknown>>,
  { unknown, audio, identity, secrets, apiKey }: NamingFacts,
): string | undefined {
  const waits = ["identity", ...contentInputs].some((name) => unknown.has(name));
  if (waits || audio === undefined || identity === undefined) return undefined;
  const isSecret = contentInputs.some((name) => secrets?.has(name) !== false);
  if (isSecret && apiKey === undefined) return undefined;
  const content = { ...inputs, audio: withoutSignature(audio) } as unknown as VoiceContent;
  return generateName(identity, content, isSecret ? apiKey : undefined);
}

/** The part of a voice's name before `-voice-`: the service's prefix and the preferred name. Empty if there is none. */
export function nameOfVoice(voice: string): string {
  return voice.slice(0, Math.max(0, voice.lastIndexOf("-voice-")));
}

/**
 * Whether a voice has this preferred name. The service does not promise how the prefix before the name ends. A
 * generated name is recognised by its hash, whatever precedes it. A chosen name behind a letter, digit or underscore
 * gives `perhaps`: the voice has a prefix that ends like a name, or a longer name.
 */
export function nameMatch(voice: string, name: string): "yes" | "perhaps" | "no" {
  const stem = nameOfVoice(voice);
  if (looksGenerated(name)) return looksGenerated(stem) && hashIn(stem) === hashIn(name) ? "yes" : "no";
  if (!stem.endsWith(name)) return "no";
  return /[0-9A-Za-z_]$/.test(stem.slice(0, stem.length - name.length)) ? "perhaps" : "yes";
}

/** Whether an id has the contract's form for cloned voices: a name, `-voice-` and a time. */
export function hasClonedShape(voice: string): boolean {
  return /[0-9A-Za-z_]-voice-\d{8}/.test(voice);
}

const generatedForm = /_[0-9][0-9a-z]{6}$/;

/** Whether a name, or a text that ends with one, is a generated name of this package. */
export function looksGenerated(name: string): boolean {
  return generatedForm.test(name);
}

/** Whether the voice was created under a name that looks generated, by whatever stack. */
export const hasGeneratedId = (voice: string) => looksGenerated(nameOfVoice(voice));

export function hashIn(generatedName: string): string {
  return generatedName.slice(-hashCharacters);
}

export function hashInVoice(voice: string): string {
  return hashIn(nameOfVoice(voice));
}

/** The preferred name in a listed voice's name, if the voice's name has the usual shape. */
export function nameInVoice(voice: string): string | undefined {
  return /(?:^|[^0-9A-Za-z_])([0-9A-Za-z_]{1,16})$/.exec(nameOfVoice(voice))?.[1];
}

/** Why a delete leaves the voice in the account: the resource of this state did not create it. */
export function reasonToStay(
  voice: string,
  { adopted, preferredName }: Partial<Pick<VoiceOutputs, "adopted" | "preferredName">>,
): string | undefined {
  if (adopted) return "this stack adopted it and did not create it";
  // A person who can write a state could put another voice there, so compare the name. Skip this if an import recorded
  // no name, or if the id lacks the documented shape.
  if (preferredName === undefined || !hasClonedShape(voice)) return undefined;
  // If the prefix ends like a name, it is unclear where a chosen name begins, which is no contradiction.
  if (nameMatch(voice, preferredName) !== "no") return undefined;
  return `its name contradicts the state, which says ${preferredName}`;
}

/**
 * The variable in which `pulumi-cloudvoice up` passes the names of the creates that a killed run began. Only that command
 * sets it, because a provider reads no state.
 */
export const pendingVariable = "CLOUDVOICE_PENDING_CREATES";

/** The hashes in the variable's names. */
export function pendingIn(environment: Record<string, string | undefined>): ReadonlySet<string> {
  const names = (environment[pendingVariable] ?? "").split(",");
  return new Set(names.filter(looksGenerated).map(hashIn));
}
