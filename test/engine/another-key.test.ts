import { asked } from "../support/asked";
import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { Stack } from "../support/stack";

/** Another key may be a rotated one, or that of another account. */

const settings = { CLOUDVOICE_SETTLE_SECONDS: "1" };
const voice = (name: string, recording = "a") =>
  `new cv.CloudVoice("${name}", { targetModel: model, audio: "https://audio.example/${recording}" });`;

test("a rotated key with all voices there asks nothing; with a voice missing, a person is asked about the account", async () => {
  const emulator = await emulate();
  const stack = (await Stack.create(emulator, settings)).program(voice("a") + voice("b"));
  await stack.ok(stack.up());
  const withKey = (key: string) => {
    emulator.giveKey("default", key);
    return stack.with({ CLOUDVOICE_API_KEY: key });
  };
  const rotated = withKey("the-rotated-key");
  await rotated.ok(rotated.up("--refresh", "--expect-no-changes"));
  const [gone = ""] = listed(emulator);
  emulator.vanish("default", gone);
  const another = withKey("another-key");
  await asked(another, "account", another.up("--refresh"));
  expect([await held(stack), emulator.summary().voicesBilled]).toEqual([expect.arrayContaining([gone]), 2]);
});

test("the key of another account beside changes of content: asked once, before anything is paid there", async () => {
  const emulator = await emulate({ accounts: { default: "the-key-of-ours", theirs: "the-key-of-theirs" } });
  const stack = (await Stack.create(emulator, settings)).program(voice("a") + voice("b"));
  await stack.ok(stack.up());
  const theirs = stack.with({ CLOUDVOICE_API_KEY: "the-key-of-theirs" });
  await asked(theirs, "account", theirs.program(voice("a", "c") + voice("b", "c")).up());
  expect([emulator.summary("theirs").voicesBilled, listed(emulator)]).toEqual([0, await held(stack)]);
});
