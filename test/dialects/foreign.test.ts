import { drawDialect, foreignForms } from "../../provider/emulator/forms";
import { serviceFindings } from "../../provider/src/cli/doctor";
import { keptIn } from "../../provider/src/cli/doctor-forms";
import { Journal } from "../../provider/src/service/journal/journal";
import { readSettings } from "../../provider/src/rules/settings";
import { idsOf } from "../simulation/provider";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { journalIn } from "../support/journal";
import { fakeClock } from "../support/service";
import { type Ended, SimulatedStack, type Voice } from "../support/simulated-stack";

/**
 * A person with a service in a foreign form: a command stops with an error that names `doctor`, the person sets the line that
 * it prints, and so on, until the whole life of a stack has passed. `CLOUDVOICE_FOREIGN=60` draws more services.
 */
const count = Number(process.env.CLOUDVOICE_FOREIGN ?? 6);
const seeds = Array.from({ length: count }, (_, index) => index + 1);

async function live(seed: number): Promise<void> {
  const emulator = await emulate({ dialect: foreignSeed(seed) });
  const settings: Record<string, string> = {};
  const stack = new SimulatedStack(emulator, settings);
  const program: Voice[] = [
    { name: "a" },
    { name: "b" },
    { name: "cover", kind: "image", inputs: { prompt: "a harbour", size: "8*8" } },
  ];
  /** Runs `doctor`, and sets the first line that it prints. False: it prints none. */
  const followDoctor = async () => {
    const all: Record<string, string> = {
      baseUrl: emulator.url,
      apiKey: emulator.apiKey,
      journal: temporaryFolder(),
      ...settings,
    };
    const find = (name: string) => (all[name] === undefined ? undefined : { value: all[name], source: name });
    const read = readSettings(find);
    const journal = new Journal(journalIn(stack.notes), fakeClock(), () => undefined, read);
    const images = stack.state.entries.filter(({ kind }) => kind === "image");
    const before = emulator.summary();
    const findings = await serviceFindings(read, false, keptIn(await journal.received(), images));
    expect(emulator.summary()).toMatchObject({ voicesBilled: before.voicesBilled, tasks: before.tasks });
    for (const { message } of findings) {
      const line = /cloudvoice:forms '([^']+)'/.exec(message)?.[1];
      if (line === undefined || line === settings.forms) continue;
      settings.forms = line;
      const [, task] = /It reads the task (.+): with adoptTask/.exec(message) ?? [];
      if (task !== undefined) Object.assign(program[2]!.inputs!, { adoptTask: task });
      return true;
    }
    return false;
  };
  const settle = async () => {
    for (let lines = 0; lines < 10 && (await followDoctor()); lines++);
  };
  /** The operation, and again with what `doctor` prints. Each failure names `doctor`, the setting or a question. */
  const lived = async (operation: () => Promise<Ended>) => {
    for (let attempt = 0; attempt < 8; attempt++) {
      const ended = await operation();
      await settle();
      if (ended.ok) return;
      expect(ended.error).toMatch(/doctor|cloudvoice:forms|CLOUDVOICE_ACCEPT/);
      stack.accepted = idsOf(["missing"]);
    }
    throw new Error(`it does not end: ${(await operation()).error}`);
  };
  const bills = (voicesBilled: number) => expect(emulator.summary()).toMatchObject({ voicesBilled, tasks: 1 });
  const account = () =>
    emulator
      .voices()
      .map(({ voice }) => voice)
      .sort();
  const held = () => stack.state.entries.flatMap(({ kind, id }) => (kind === "voice" ? [id] : [])).sort();

  await lived(() => stack.up(program));
  bills(2);
  expect(held()).toEqual(account());
  // As the warning about the image says.
  await lived(() => stack.up(program, { refresh: true }));
  bills(2);
  expect(stack.outputs("cover").images).toEqual([
    expect.objectContaining({ url: expect.stringContaining("/images/") as string }),
  ]);

  program[0]!.content = 1;
  await lived(() => stack.up(program));
  bills(3);

  emulator.vanish("default", String(stack.outputs("b").voice));
  await lived(stack.refresh);
  await lived(() => stack.up(program));
  bills(4);
  expect(held()).toEqual(account());

  await lived(stack.destroy);
  expect([stack.state.entries, account()]).toEqual([[], []]);
  bills(4);
}

/** The n-th seed whose service needs a setting. */
function foreignSeed(n: number): number {
  let left = n;
  for (let seed = 1; ; seed++) if (drawDialect(seed).forms !== undefined && --left === 0) return seed;
}

test.each(seeds)("the whole life of a stack passes with the lines that doctor prints: service %i", async (seed) => {
  try {
    await live(seed);
  } catch (error) {
    const needed = JSON.stringify(drawDialect(foreignSeed(seed)).forms);
    throw new Error(
      `${needed} ${JSON.stringify(foreignForms(foreignSeed(seed)))}\n${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
});
