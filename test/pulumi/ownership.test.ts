import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import type { VoiceHolder } from "../../provider/src/pulumi/provider/states";
import { Ownership } from "../../provider/src/pulumi/provider/voice/ownership";

/** Who holds a voice: one table per decision, in the words of what the engine has called before. */

const rule = { takeOver: "recent" as const, nowMs: Date.parse("2026-06-01T12:00:00Z") };
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

const [me, ren] = ["urn:pulumi:dev::p::t::old", "urn:pulumi:dev::p::t::ren"];
const entry = (urn: string, changes: Partial<VoiceHolder> = {}): VoiceHolder => ({
  stack: "dev",
  urn,
  voice,
  isOld: false,
  ...changes,
});

type Before = (ownership: Ownership) => void;
const nothing: Before = () => undefined;
const declared: Before = (ownership) => ownership.declare(generated, { urn: me });
const expects =
  (inputs: Props, urn = me): Before =>
  (ownership) =>
    ownership.expectCreate(inputs, urn);

describe("by the calls of this operation, a delete", () => {
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
    ["of the old copy, after --replace reused the voice", (o) => o.claim(voice, chosen, ren), generated, "keep"],
    ["before a create that adopts the voice", expects({ ...chosen, adopt: voice }), generated, "keep"],
    ["before a create of the same generated name", expects(generated), generated, "keep"],
    ["before a create of the same name, when the voice is too old to be reused", expects(generated), dayOld, "reject"],
    [
      "before a create of the same name for another model",
      expects({ ...generated, targetModel: "n" }),
      generated,
      "delete",
    ],
    [
      "before a create with other content, and so another name",
      expects({ ...generated, preferredName: "n_87654321" }),
      generated,
      "delete",
    ],
    ["before a create of the same chosen name, which identifies nothing", expects(chosen), chosen, "delete"],
    ["before a create that adopts another voice", expects({ ...generated, adopt: "other" }), generated, "delete"],
    [
      "before a create of the same name by another resource, which gets a voice of its own",
      expects(generated, ren),
      generated,
      "delete",
    ],
  ])("%s", (_, before, state, action) => {
    const ownership = new Ownership();
    before(ownership);
    expect(ownership.onDelete(voice, state, [entry(me)], rule).action).toBe(action);
  });
});

describe("by the saved states, a delete", () => {
  test.each<[what: string, holders: VoiceHolder[] | undefined, action: "delete" | "keep"]>([
    ["of the only resource that holds the voice", [entry(me)], "delete"],
    ["of a resource that no state has, after the state was edited", [], "delete"],
    ["beside another resource of the stack", [entry(me), entry(ren)], "keep"],
    ["of an old copy beside the live one, which a target excludes", [entry(me), entry(me, { isOld: true })], "keep"],
    ["beside a resource that was moved to another stack", [entry(me), entry(me, { stack: "prod" })], "keep"],
    ["beside resources with other voices", [entry(me), entry(ren, { voice: "other" })], "delete"],
    ["without states that can be read", undefined, "delete"],
  ])("%s", (_, holders, action) => {
    expect(new Ownership().onDelete(voice, generated, holders, rule).action).toBe(action);
  });

  test("of two resources with one voice, one after the other, keeps it first and deletes it then", () => {
    const ownership = new Ownership();
    const holders = [entry(me), entry(ren)];
    const actions = [1, 2].map(() => {
      const { action } = ownership.onDelete(voice, generated, holders, rule);
      ownership.release(voice);
      return action;
    });
    expect(actions).toEqual(["keep", "delete"]);
  });
});

describe("a resource whose inputs did not change", () => {
  const other = { ...generated, audio: "b.wav" };
  test.each<[what: string, before: Before, action: "keep" | "replace" | "reject"]>([
    ["keeps its voice", declared, "keep"],
    ["keeps its voice if the engine asks twice", (o) => (declared(o), o.onKeep(voice, generated)), "keep"],
    [
      "gets a voice of its own, if another resource took this one",
      (o) => (declared(o), o.claim(voice, chosen, ren)),
      "replace",
    ],
    [
      "conflicts with a resource that is to adopt the voice",
      (o) => (declared(o), o.expectCreate({ adopt: voice }, ren)),
      "reject",
    ],
    [
      "is not judged in a refresh, whose inputs no check has declared",
      (o) => (o.claim(voice, chosen, ren), o.expectCreate({ adopt: voice }, ren)),
      "keep",
    ],
    [
      "gets a voice of its own, if another resource keeps this one",
      (o) => (declared(o), o.declare(other, { urn: ren }), o.onKeep(voice, other)),
      "replace",
    ],
    [
      "gets a voice of its own, if another resource with equal inputs keeps this one",
      (o) => (declared(o), o.declare(generated, { urn: ren }), o.onKeep(voice, generated)),
      "replace",
    ],
    [
      "is an error if another resource keeps its voice and it is protected",
      (o) => (o.declare(generated, { urn: me, protect: true }), o.declare(other, { urn: ren }), o.onKeep(voice, other)),
      "reject",
    ],
  ])("%s", (_, before, action) => {
    const ownership = new Ownership();
    before(ownership);
    expect(ownership.onKeep(voice, generated).action).toBe(action);
  });
});

describe("for a create, a voice is held", () => {
  test.each<[what: string, before: Before, holders: VoiceHolder[], held: boolean]>([
    ["by nobody", nothing, [], false],
    ["by nobody else, if the resource itself holds it: --replace", nothing, [entry(me)], false],
    ["by a resource of the stack that this operation did not reach", nothing, [entry(ren)], true],
    ["by a resource of another stack", nothing, [entry(ren, { stack: "prod" })], true],
    ["by a resource of the program that keeps it", (o) => (declared(o), o.onKeep(voice, generated)), [], true],
    ["by a resource that was created before", (o) => o.claim(voice, chosen, ren), [], true],
    ["by a resource that is to adopt it", expects({ adopt: voice }, ren), [], true],
    ["not by a resource that a refresh looked up", (o) => o.onKeep(voice, generated), [], false],
  ])("%s", (_, before, holders, held) => {
    const ownership = new Ownership();
    before(ownership);
    expect(ownership.holderBeside(me, voice, holders) !== undefined).toBe(held);
  });
});
