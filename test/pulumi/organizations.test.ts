import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import { emulate } from "../support/emulate";
import { fakePulumi } from "../support/fake-pulumi";
import { recordings } from "../support/files";
import { journalIn } from "../support/journal";
import { newOperation } from "../support/operation";
import { fakeClock } from "../support/service";

/** Two organizations of one backend have a stack `dev` of the project `app`, and share an account. */

afterEach(() => jest.restoreAllMocks());

let emulator: Emulator;
beforeEach(async () => {
  emulator = await emulate();
});

const type = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";
const urnOf = (name: string) => `urn:pulumi:dev::app::${type}::${name}`;
const none: ReadonlySet<string> = new Set();

/** The states of both stacks: the voice of each resource. */
function saved(states: Record<"acme" | "beta", Record<string, string>>, pendingOnBeta: object[] = []): void {
  const names = ["acme", "beta"].map((organization) => ({ name: `${organization}/app/dev` }));
  const exported = (voices: Record<string, string>, pending: object[]) => {
    const resources = Object.entries(voices).map(([name, id]) => ({ urn: urnOf(name), type, id }));
    return JSON.stringify({ deployment: { resources, pending_operations: pending } });
  };
  fakePulumi([
    ["whoami", JSON.stringify({ url: "https://app.pulumi.com/anna" })],
    ["stack ls --json", JSON.stringify(names)],
    ["stack export --stack acme/app/dev", exported(states.acme, [])],
    ["stack export --stack beta/app/dev", exported(states.beta, pendingOnBeta)],
  ]);
}

const newsOf = (name: string, organization: "beta" | undefined): Props => ({
  ...{ targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav },
  identity: { urn: urnOf(name), ...(organization && { organization }) },
});

/** A check and a create on `beta/app/dev`. A program is told its organization, and a plugin is not. */
async function createOnBeta(organization: "beta" | undefined, name = "x") {
  const { voice, lines } = newOperation(emulator, { namespace: "shared", settleSeconds: "0.05" });
  const news = newsOf(name, organization);
  const { inputs, failures } = await voice.check({}, news, none);
  expect(failures).toEqual([]);
  return { ...(await voice.create(inputs)), lines };
}

describe.each([
  ["a program", "beta"],
  ["a plugin, which is told no organization,", undefined],
] as const)("%s on beta", (_, organization) => {
  test("does not take the voice of the resource with the same URN on acme", async () => {
    saved({ acme: {}, beta: {} });
    const { id: ofAcme } = await createOnBeta(organization);
    saved({ acme: { x: ofAcme }, beta: {} });
    const { id, lines } = await createOnBeta(organization);
    expect(id).not.toBe(ofAcme);
    expect(lines.join()).toContain("x of the stack acme/app/dev holds it: this resource gets a voice of its own");
  });

  test("does not delete a voice that a resource on acme holds too", async () => {
    const [voice = ""] = emulator.seedVoices("default", 1);
    saved({ acme: { x: voice }, beta: { y: voice } });
    // A destroy calls no check, so it does not know its stack.
    for (const isUpdate of [true, false]) {
      const { voice: lifecycle, lines } = newOperation(emulator);
      if (isUpdate) await lifecycle.check({}, newsOf("z", organization), none);
      await lifecycle.delete(voice, { voice });
      expect(lines).toEqual([expect.stringMatching(/still used by .*x of the stack acme\/app\/dev/)]);
    }
    expect(emulator.voices()).toHaveLength(1);
  });
});

test("a program takes the voice that its own killed run left, also if its stack is not of the default organization", async () => {
  saved({ acme: {}, beta: {} });
  const { id, outs } = await createOnBeta("beta");
  const inputs = { preferredName: outs.preferredName };
  saved({ acme: {}, beta: {} }, [{ type: "creating", resource: { urn: urnOf("x"), type, inputs } }]);
  expect((await createOnBeta("beta")).id).toBe(id);
  expect(emulator.summary().voicesBilled).toBe(1);
});

describe("a request of the stack on acme is under way, in a journal that both share", () => {
  const image = { model: "svc-image", prompt: "A whale", n: 1 };
  const gate = { state: "ready", questions: { q: { type: "noul", instructions: "Is it ready?" } } };

  type NoteFiles = Map<string, string>;

  async function create(kind: "image" | "decision", organization: "acme" | "beta" | undefined, notes: NoteFiles) {
    saved({ acme: {}, beta: {} });
    const parts = { clock: fakeClock(), journal: journalIn(notes) };
    const { [kind]: life } = newOperation(emulator, { namespace: "shared", settleSeconds: "0.05" }, parts);
    const identity = { urn: urnOf("x"), ...(organization && { organization }) };
    const news = { ...(kind === "image" ? image : gate), identity };
    return life.create((await life.check({}, news, none)).inputs);
  }

  test.each(["image", "decision"] as const)("a program on beta pays for an %s of its own", async (kind) => {
    const notes: NoteFiles = new Map();
    const { id } = await create(kind, "acme", notes);
    expect((await create(kind, "beta", notes)).id).not.toBe(id);
    // Its own request is not paid for again.
    expect((await create(kind, "acme", notes)).id).toBe(id);
  });

  test.each(["image", "decision"] as const)("a plugin does not know whose %s it is, and asks", async (kind) => {
    const notes: NoteFiles = new Map();
    const { id } = await create(kind, undefined, notes);
    const asked = await create(kind, undefined, notes).then(String, String);
    expect(asked).toMatch(/may belong to another stack: several stacks have this project and name.*=pay-again-/);
    if (kind === "image") expect(asked).toContain(`If the task ${id} is this resource's, set adoptTask to it`);
    const { submit = 0, decide = 0 } = emulator.summary().calls;
    expect(submit + decide).toBe(1);
  });
});
