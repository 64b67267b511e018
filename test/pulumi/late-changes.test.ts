import { refuseLateChanges } from "../../provider/src/lifecycle/layers";
import type { AnyLifecycle } from "../../provider/src/lifecycle/lifecycle";
import { resource as resourceOf } from "../support/holders";

/** Policies of the level `remediate` change inputs between the check and what follows it. */

const resource = resourceOf("urn:pulumi:dev::p::t::narrator");
const none = new Set<string>();
const voice = { targetModel: "a-model", audio: "a.wav", preferredName: "narrator_abcdefg", nameVersion: 1 };
const refusal = (input: string) => `narrator: a policy (remediate) changed ${input} after the check`;

function afterCheck(inputs: object, { replaces = [] as string[] } = {}) {
  const paid: object[] = [];
  const inner: Partial<AnyLifecycle> = {
    check: (news) => Promise.resolve({ inputs: news, failures: [] }),
    diff: () => Promise.resolve({ replaces, updates: false }),
    create: (news) => {
      paid.push(news);
      return Promise.resolve({ id: "v", state: news });
    },
  };
  const lifecycle = refuseLateChanges()(inner as AnyLifecycle, "voice");
  const check = () => lifecycle.check(inputs, undefined, resource, none);
  return { lifecycle, check, paid };
}

test.each<[string, object]>([
  ["language", { language: "en" }],
  ["audio", { audio: "b.wav" }],
])(
  "a voice whose %s a policy changed is not created, because its name stands for what was checked",
  async (input, late) => {
    const { lifecycle, check, paid } = afterCheck(voice);
    await check();
    await expect(lifecycle.create({ ...voice, ...late }, resource)).rejects.toThrow(refusal(input));
    expect(paid).toEqual([]);
  },
);

test.each<[string, object]>([
  ["nothing", {}],
  ["a description", { description: "a policy says so" }],
  ["an empty list for an absent one", { triggers: [] }],
])("a voice of which a policy changed %s is created", async (_, late) => {
  const { lifecycle, check, paid } = afterCheck(voice);
  await check();
  await lifecycle.create({ ...voice, ...late }, resource);
  expect(paid).toHaveLength(1);
});

test("a replacement is refused, because the engine would forget the change and replace again in each update", async () => {
  const { lifecycle, check } = afterCheck(voice, { replaces: ["text"] });
  await check();
  const diff = (late: object, unknown = none) => lifecycle.diff("v", {}, { ...voice, ...late }, resource, unknown);
  await expect(diff({ language: "en" })).rejects.toThrow(refusal("language"));
  // What is not known in a preview, a policy did not change.
  await expect(diff({ language: "en" }, new Set(["language"]))).resolves.toBeDefined();
  await check();
  await expect(diff({})).resolves.toBeDefined();
});

test("a change that makes no other voice is let through", async () => {
  const { lifecycle, check } = afterCheck(voice);
  await check();
  await expect(lifecycle.diff("v", {}, { ...voice, language: "en" }, resource, none)).resolves.toBeDefined();
});

test("a caller that checks, creates, and then compares with other inputs without a check is let through", async () => {
  const { lifecycle, check, paid } = afterCheck(voice, { replaces: ["text"] });
  await check();
  await lifecycle.create(voice, resource);
  await expect(lifecycle.diff("v", voice, { ...voice, text: "other" }, resource, none)).resolves.toBeDefined();
  expect(paid).toHaveLength(1);
});
