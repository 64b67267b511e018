import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import { Ownership } from "../../provider/src/pulumi/provider/voice/ownership";

/** Who holds a voice: one table per decision, in the words of what the engine has called before. */

const nowMs = Date.parse("2026-06-01T12:00:00Z");
const voice = "svc-tts-vc-n_12345678-voice-20260601110000000-0001";
const generated: Props = {
  preferredName: "n_12345678",
  nameVersion: 1,
  targetModel: "m",
  audio: "a.wav",
  createdAt: "2026-06-01T11:00:00Z",
};
const chosen: Props = {
  preferredName: "narrator",
  targetModel: "m",
  audio: "a.wav",
  createdAt: "2026-06-01T11:00:00Z",
};
const dayOld = { ...generated, createdAt: "2026-05-30T11:00:00Z" };

type Before = (ownership: Ownership) => void;
const nothing: Before = () => undefined;
const declared: Before = (ownership) => ownership.declare(generated);

describe("a delete", () => {
  test.each<[what: string, before: Before, state: Props, action: "delete" | "keep" | "reject"]>([
    ["of a voice that nothing else holds", nothing, generated, "delete"],
    [
      "in a destroy after a refresh, whose diff has inputs of the state",
      (o) => o.onKeep(voice, generated),
      generated,
      "delete",
    ],
    [
      "of the old copy, while the resource keeps the voice",
      (o) => (declared(o), o.onKeep(voice, generated)),
      generated,
      "keep",
    ],
    ["of the old copy, after --replace reused the voice", (o) => o.claim(voice), generated, "keep"],
    ["before a create that adopts the voice", (o) => o.expectCreate({ ...chosen, adopt: voice }), generated, "keep"],
    ["before a create of the same generated name", (o) => o.expectCreate(generated), generated, "keep"],
    [
      "before a create of the same name, when the voice is too old to be reused",
      (o) => o.expectCreate(generated),
      dayOld,
      "reject",
    ],
    [
      "before a create of the same name for another model",
      (o) => o.expectCreate({ ...generated, targetModel: "n" }),
      generated,
      "delete",
    ],
    [
      "before a create with other content, and so another name",
      (o) => o.expectCreate({ ...generated, preferredName: "n_87654321" }),
      generated,
      "delete",
    ],
    [
      "before a create of the same chosen name, which identifies nothing",
      (o) => o.expectCreate(chosen),
      chosen,
      "delete",
    ],
    [
      "before a create that adopts another voice",
      (o) => o.expectCreate({ ...generated, adopt: "other" }),
      generated,
      "delete",
    ],
  ])("%s: %#", (_, before, state, action) => {
    const ownership = new Ownership();
    before(ownership);
    expect(ownership.onDelete(voice, state, nowMs).action).toBe(action);
  });

  test("of a voice that a resource outside the targets holds is not a delete of the voice", () => {
    const ownership = new Ownership((id) => id === voice);
    expect(ownership.onDelete(voice, generated, nowMs).action).toBe("keep");
    expect(ownership.onDelete("other", generated, nowMs).action).toBe("delete");
  });
});

describe("a resource whose inputs did not change", () => {
  test.each<[what: string, before: Before, action: "keep" | "replace" | "reject"]>([
    ["keeps its voice", declared, "keep"],
    [
      "gets a voice of its own, if a new resource took this one by its name",
      (o) => (declared(o), o.claim(voice)),
      "replace",
    ],
    [
      "conflicts with a resource that is to adopt the voice",
      (o) => (declared(o), o.expectCreate({ adopt: voice })),
      "reject",
    ],
    [
      "is not judged in a refresh, whose inputs no check has declared",
      (o) => (o.claim(voice), o.expectCreate({ adopt: voice })),
      "keep",
    ],
    [
      "keeps its voice, if the voice was claimed and then deleted",
      (o) => (declared(o), o.claim(voice), o.release(voice)),
      "keep",
    ],
  ])("%s", (_, before, action) => {
    const ownership = new Ownership();
    before(ownership);
    expect(ownership.onKeep(voice, generated).action).toBe(action);
  });
});

describe("a create finds a voice", () => {
  test("that is free", () => {
    const ownership = new Ownership();
    ownership.onKeep(voice, generated);
    expect(ownership.isHeld(voice)).toBe(false);
  });
  test("that another resource of the program keeps, or that this operation made", () => {
    const kept = new Ownership();
    declared(kept);
    kept.onKeep(voice, generated);
    const made = new Ownership();
    made.claim(voice);
    expect([kept.isHeld(voice), made.isHeld(voice)]).toEqual([true, true]);
  });
});
