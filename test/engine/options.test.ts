import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** The section "Resource options" of docs/cloud-voice.md: what each option does to a voice, an image and a decision. */

const wrap = (body: string) => `
  const z = new cv.Decision("z", { state: zState, questions: { q: cv.question.noul("?") } });
  const voice = (name, opts, fields) => new cv.CloudVoice(name, { targetModel: model, audio: "a.wav", ...fields }, opts);
  const image = (name, opts, fields) => new cv.GeneratedImage(name, { model: "svc-image", prompt: name, ...fields }, opts);
  const decision = (name, opts, fields) =>
    new cv.Decision(name, { state: name, questions: { q: cv.question.noul("?") }, ...fields }, opts);
  const all = (name, opts) => { voice("v-" + name, opts); image("i-" + name, opts); decision("d-" + name, opts); };
  ${body}`;

async function start() {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.01" });
  return {
    stack,
    program: (zState: string, body: string) => stack.program(`const zState = "${zState}";${wrap(body)}`),
    listed: () => emulator.voices().map(({ voice }) => voice),
    calls: () => emulator.summary().calls,
    held: async (): Promise<Record<string, string | undefined>> =>
      Object.fromEntries((await stack.resources()).map(({ urn, id }) => [urn.split("::").at(-1) ?? "", id])),
  };
}

test("options that replace, keep or retain, in one update", async () => {
  const { stack, program, held, listed, calls } = await start();
  const options = (trigger: string, saveTo: string) => `
    all("with", { replaceWith: [z] });
    all("trigger", { replacementTrigger: "${trigger}" });
    image("i-on", { replaceOnChanges: ["saveTo"] }, { saveTo: "${saveTo}" });
    decision("d-on", { replaceOnChanges: ["expect"] }, { expect: { q: { max: ${trigger} } } });`;
  const kept = `all("retained", { retainOnDelete: true }); all("went", { deletedWith: z });`;
  await stack.ok(program("first", options("1", "one") + kept).up());
  const before = await held();
  // Until a run has compared a task or an answer with its state, it may be one that a killed run left.
  await stack.ok(stack.up("--expect-no-changes"));
  const paid = calls();

  // A replacement without another content: a voice stays, and a new task or answer is paid for.
  await stack.ok(program("second", options("2", "two") + kept).up());
  const after = await held();
  const replaced = ["i-with", "d-with", "i-trigger", "d-trigger", "z"];
  // A dynamic provider reports no single properties, so `replaceOnChanges` replaces nothing.
  expect(
    Object.keys(before)
      .filter((name) => after[name] !== before[name])
      .sort(),
  ).toEqual(replaced.sort());
  for (const name of ["v-with", "v-trigger"]) expect(listed()).toContain(before[name]);
  const { create = 0, submit = 0, decide = 0 } = calls();
  expect([create - (paid.create ?? 0), submit - (paid.submit ?? 0), decide - (paid.decide ?? 0)]).toEqual([0, 2, 3]);

  // The retained voice stays, and so does the one that goes with `z`: Pulumi calls no delete for either.
  const last = await stack.ok(stack.program("").up());
  expect(listed().sort()).toEqual([before["v-retained"], before["v-went"]].sort());
  expect(last.output).not.toContain("error");
});

test("`protect` refuses a delete and a replacement, and `ignoreChanges` drops a change, before anything is paid", async () => {
  const { stack, program, calls } = await start();
  const guarded = (fields: string, opts: string) =>
    `voice("v", ${opts}, ${fields}); image("i", ${opts}, ${fields}); decision("d", ${opts}, ${fields});`;
  const [protect, ignore] = ["{ protect: true }", '{ ignoreChanges: ["triggers"] }'];
  await stack.ok(program("z", guarded("{}", protect)).up());
  const paid = calls();
  for (const body of ["", guarded('{ triggers: ["new"] }', protect)]) {
    const run = await program("z", body).up();
    expect([run.code !== 0, run.output]).toEqual([true, expect.stringMatching(/protect/)]);
  }
  await stack.ok(program("z", guarded('{ triggers: ["new"] }', ignore)).up("--expect-no-changes"));
  expect(calls()).toMatchObject({ create: paid.create, submit: paid.submit, decide: paid.decide });
  expect(calls().delete ?? 0).toBe(paid.delete ?? 0);
});
