import { copyFileSync, cpSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeVirtualEnvironment } from "../../tools/engine/python";
import { packedPythonSdk } from "../../tools/generate-sdks";
import { pluginFolder } from "../../tools/plugin-stack";
import { Stack } from "../../tools/stack";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { put, recordings, temporaryFolder } from "../support/files";

const program = `
import pulumi
import pulumi_cloudvoice as cloudvoice

team = cloudvoice.VoiceSet(
    "voices",
    defaults={"target_model": "svc3-tts-vc-2026-01-22"},
    voices={"narrator": {"audio": "a.wav"}, "support": {"audio": "b.mp3"}},
)
cloudvoice.GeneratedImage("of-one", model="svc-image", prompt=team.voices["narrator"].voice)
cloudvoice.GeneratedImage("of-all", model="svc-image", prompt=team.voices.apply(lambda all: ",".join(all)))
`;

test("in Python, what reads one entry of a set shows as unchanged while another one changes", async () => {
  const folder = temporaryFolder();
  cpSync(packedPythonSdk, join(folder, "sdk"), { recursive: true });
  makeVirtualEnvironment(folder, join(folder, "sdk"));
  const plugins = { providers: [{ name: "cloudvoice", path: pluginFolder }] };
  put(folder, "Pulumi.yaml", JSON.stringify({ name: "program", runtime: "python", plugins }));
  put(folder, "__main__.py", program);
  copyFileSync(recordings.wav, join(folder, "a.wav"));
  copyFileSync(recordings.mp3, join(folder, "b.mp3"));
  const created = await Stack.of(folder, await emulate(), { host: "pulumi-language-python" });
  const stack = created.with({ PATH: [join(folder, "venv", "bin"), created.env.PATH].join(delimiter) });
  await stack.ok(stack.up());
  copyFileSync(recordings.otherMp3, join(folder, "b.mp3"));
  const preview = put(folder, "preview.json", (await stack.ok(stack.preview("--json", "--show-sames"))).stdout);
  const review = JSON.parse((await cloudvoice(stack, ["review", preview, "--json"])).stdout) as Review;
  expect(review.changes.map(({ name, action }) => [action, name])).toEqual([
    ["replace", "voices.support"],
    ["replace", "of-all"],
  ]);
});
