import type { Emulator } from "../../provider/emulator";
import { asked } from "../support/asked";
import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { inFrontOf } from "../support/in-front";
import { Stack } from "../support/stack";

/** A list that lacks voices, or still shows deleted ones, is believed of nothing that matters until a second one says it. */

const settings = { CLOUDVOICE_SETTLE_SECONDS: "1" };

interface Row {
  voice: string;
  gmt_create: string;
  target_model: string;
}

/** A stack with these voices, and the next lists, which `show` changes. */
async function start(emulator: Emulator, names: string[]) {
  let lists = 0;
  let change: (rows: Row[]) => Row[];
  const service = await inFrontOf(emulator, ({ body, answer }) => {
    if (!body.includes('"action":"list"') || lists-- <= 0) return undefined;
    const { output, ...rest } = JSON.parse(answer) as { output: { voice_list: Row[] } };
    const voice_list = change(output.voice_list);
    return { answer: JSON.stringify({ ...rest, output: { ...output, voice_list, total_count: voice_list.length } }) };
  });
  const show = (times: number, changed: (rows: Row[]) => Row[]) => ([lists, change] = [times, changed]);
  const stack = (await Stack.create(service, settings)).program(
    `for (const name of ${JSON.stringify(names)})
       new cv.CloudVoice(name, { targetModel: model, audio: "https://audio.example/a" });`,
  );
  await stack.ok(stack.up());
  return { stack, show };
}

test("up --refresh while a list lacks voices or is empty: nothing is paid or removed, and asked only if it stays so", async () => {
  const emulator = await emulate();
  const names = Array.from({ length: 10 }, (_, index) => `v${index}`);
  const { stack, show } = await start(emulator, names);
  show(1, (rows) => rows.slice(3));
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  show(1, () => []);
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  show(Infinity, () => []);
  await asked(stack, "missing", stack.up("--refresh"));
  expect([await held(stack), emulator.summary().calls]).toEqual([
    listed(emulator),
    { create: names.length, list: expect.any(Number) as number },
  ]);
});

test("destroy and up while the list still shows the voice: it is asked about, or another is paid for", async () => {
  const emulator = await emulate();
  const { stack, show } = await start(emulator, ["a"]);
  const dead = emulator.voices().map((row) => {
    return { voice: row.voice, gmt_create: row.gmtCreate, target_model: row.targetModel };
  });
  await stack.ok(stack.destroy());
  show(Infinity, () => dead);
  await asked(stack, "take", stack.up());
  show(1, () => dead);
  await stack.ok(stack.up());
  expect([await held(stack), emulator.summary().voicesBilled]).toEqual([listed(emulator), 2]);
  // And the new voice is listed late.
  show(1, (rows) => rows.slice(1));
  await stack.ok(stack.refresh("--expect-no-changes"));
  expect(await held(stack)).toEqual(listed(emulator));
});

test("the account's last voice was deleted by hand: yes to `missing` holds for the update that follows", async () => {
  const emulator = await emulate();
  const { stack } = await start(emulator, ["a"]);
  const before = await held(stack);
  emulator.vanish("default", before.join());
  const yes = await asked(stack, "missing", stack.up("--refresh"));
  expect([await held(stack), emulator.summary().voicesBilled]).toEqual([before, 1]);
  await yes.ok(yes.refresh());
  await stack.ok(stack.up());
  expect([await held(stack), emulator.summary().voicesBilled]).toEqual([listed(emulator), 2]);
});
