import { killRun } from "../../tools/chaos/kill";
import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { inFrontOf } from "../support/in-front";
import { fastStart, Stack } from "../support/stack";

/**
 * A run is killed at each moment of its calls, or a resource beside the voice fails then. The journal stays. The next
 * run pays for nothing twice and asks nothing, and no live voice is deleted.
 */

const settings = {
  ...fastStart,
  CLOUDVOICE_SETTLE_SECONDS: "1",
  CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "3",
  CLOUDVOICE_MAX_RETRIES: "0",
};
const withoutCheckpoints = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };

const voice = (name: string, trigger = 0, options = "{}") =>
  `new cv.CloudVoice("${name}", { targetModel: model, audio: "https://audio.example/a", triggers: [${trigger}] }, ${options});`;

/** The program of each update. */
const kinds: [string, declare: (life: number) => string][] = [
  ["a create in an account without voices", (life) => voice(`v${life}`)],
  ["a create beside voices", (life) => Array.from({ length: life + 2 }, (_, index) => voice(`v${index}`)).join("")],
  ["a replacement", (life) => voice("v", life)],
  ["a replacement that deletes first", (life) => voice("v", life, "{ deleteBeforeReplace: true }")],
];
const ends = ["killed", "failed by a neighbour"] as const;
type End = (typeof ends)[number];

describe.each(kinds)("%s", (kind, declare) => {
  test.each(ends)("%s at each moment, with checkpoints and without", async (end) => {
    const isAlone = kind === kinds[0]?.[0];
    await Promise.all([false, true].map((saves) => live(end, declare, { isAlone, saves })));
  });
});

async function live(end: End, declare: (life: number) => string, { isAlone, saves }: Record<string, boolean>) {
  const emulator = await emulate();
  /** How many moments come before the one that ends the run. */
  let before = -1;
  let stop = () => {};
  const isNow = () => before-- === 0;
  /** Keeps the create of the neighbour under way, whose failure then ends the run. */
  let refuse: Promise<void> = Promise.resolve();
  const service = await inFrontOf(
    emulator,
    ({ body }) => {
      // Done, and not answered. The next moment comes after the response.
      if (isNow()) stop();
      const isLast = end !== "killed" && body.includes('"create"');
      if (isNow()) setTimeout(stop, 10);
      else if (isLast) stop();
      return undefined;
    },
    async ({ body }) => {
      if (body.includes('"neighbou_')) {
        await refuse;
        return { status: 400, answer: '{"code":"Audio.PreprocessError","message":"no speech"}' };
      }
      const isLost = isNow();
      if (isLost || isNow()) stop();
      // Otherwise the request arrives after the end of the run.
      return isLost && end === "killed" ? { status: 503, answer: "{}" } : undefined;
    },
  );
  const stack = await Stack.create(service, { ...settings, ...(!saves && withoutCheckpoints) });
  const empty = await stack.state();
  if (!isAlone) await stack.ok(stack.program(declare(-1)).up());

  for (let life = 0, isOver = false; !isOver; life++) {
    if (isAlone) {
      emulator.reset();
      await stack.setState(empty);
    }
    const first = emulator.ledger().length;
    stack.program(declare(life) + (end === "killed" ? "" : voice("neighbour")));
    before = life;
    const run = stack.start(["up", "--yes", "--skip-preview"]);
    refuse = new Promise((resolve) => {
      stop = end === "killed" ? () => void killRun(run.child.pid ?? 0, "everything") : resolve;
    });
    await run.done;
    isOver = before >= 0;
    before = -1;
    if (end === "killed") await stack.pulumi("cancel", "--yes");
    await stack.ok(stack.program(declare(life)).up());
    const { voicesBilled } = emulator.summary("default", first);
    const expected = { saves, life, voicesBilled: 1, held: listed(emulator) };
    expect({ saves, life, voicesBilled, held: await held(stack) }).toEqual(expected);
    if (isOver) expect(life).toBeGreaterThanOrEqual(8);
  }
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
}
