import type { Step } from "../../provider/src/cli/review/preview";
import { textOf } from "../../provider/src/cli/review/text";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import { entryUrn } from "../../provider/src/rules/voice-set";
import { fakePulumi } from "../support/fake-pulumi";
import { put, temporaryFolder } from "../support/files";
import { review } from "../support/review-steps";
import { run } from "./command";

/** Voices that a program moves between a catalog and a set, while the state is not moved. */

const urn = (types: string, name: string) => `urn:pulumi:dev::program::${types}::${name}`;
const type = "cloudvoice:index:CloudVoice";
const child = (key: string) => urn(`cloudvoice:index:VoiceCatalog$${type}`, `voices-${key}`);
const entry = (key: string) => entryUrn(urn("cloudvoice:index:VoiceSet", "voices"), key);
const made = (key: string, more: object = {}) => ({ targetModel: "m", audio: `${key}.wav`, audioSha256: key, ...more });
const create = (urn: string, inputs: Record<string, unknown>): Step => ({
  ...{ op: "create", urn, newState: { type, inputs, outputs: {} } },
});
const remove = (urn: string, inputs: Record<string, unknown>): Step => ({
  ...{ op: "delete", urn, oldState: { type, id: `svc-${urn}`, inputs, outputs: {} } },
});

test.each<[what: string, steps: Step[], unmoved: object[] | undefined]>([
  [
    "into a set",
    [create(entry("a"), made("a")), create(entry("b"), made("b")), remove(child("a"), made("a"))],
    [{ into: true, set: "voices", catalog: "voices", voices: 1 }],
  ],
  [
    "out of a set",
    [create(child("a"), made("a")), remove(entry("a"), made("a"))],
    [{ into: false, set: "voices", catalog: "voices", voices: 1 }],
  ],
  [
    "with another recording",
    [create(entry("a"), made("a", { audioSha256: "b" })), remove(child("a"), made("a"))],
    undefined,
  ],
  [
    "for another model",
    [create(entry("a"), made("a", { targetModel: "n" })), remove(child("a"), made("a"))],
    undefined,
  ],
  ["that adopts", [create(entry("a"), made("a", { adopt: "svc" })), remove(child("a"), made("a"))], undefined],
  ["that stays where it was, too", [create(entry("a"), made("a"))], undefined],
])("a voice %s", (_, steps, unmoved) => {
  const account = [{ voice: "svc", targetModel: "m", gmtCreate: undefined }];
  const found = review(steps, { account });
  expect(found.unmoved).toEqual(unmoved);
  expect(exitCodeOf(found)).toBe(unmoved === undefined ? 2 : 3);
  const accepted = review(steps, { account, limits: { withoutMove: true } });
  expect(exitCodeOf(accepted)).toBe(2);
  expect(textOf(accepted).includes("pulumi-cloudvoice move")).toBe(unmoved !== undefined);
});

test("the command ends with 3, and as it would without this limit with --without-move", async () => {
  fakePulumi([]);
  const steps = [create(entry("a"), made("a")), remove(child("a"), made("a"))];
  const preview = JSON.stringify({ steps, changeSummary: { create: 1, delete: 1 } });
  const file = put(temporaryFolder(), "preview.json", preview);
  const codes = [await run("review", file), await run("review", file, "--without-move")].map(({ code }) => code);
  jest.restoreAllMocks();
  // Without a service, the account's voices are not known.
  expect(codes).toEqual([3, 1]);
});

test("the provider's own line about it is no second note", () => {
  const steps = [create(entry("a"), made("a")), remove(child("a"), made("a"))];
  const notes = ["cloudvoice: warning: `npx … move voices` keeps voices, with equal keys and recordings", "another"];
  expect(review(steps, { preview: { steps, errors: [], notes, whole: true } }).notes).toEqual(["another"]);
});
