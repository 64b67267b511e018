import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";

test("a secret holder is in clear in no state, output or review of either kind of resource, and is still found", async () => {
  const emulator = await emulate();
  const dynamic = await Stack.create(emulator);
  dynamic.program(`new cv.CloudVoice("narrator", { targetModel: model, audio: "a.wav",
    rights: { holder: pulumi.secret("Canary Jane"), evidence: "file 7", until: "2999-12-31" } });`);
  // Both are stacks of one name, with a state each.
  const plugin = (await pluginStack(temporaryFolder(), emulator)).with({ CLOUDVOICE_NAMESPACE: "plugin" });
  writeProgram(plugin.folder, {
    resources: {
      narrator: {
        type: "cloudvoice:CloudVoice",
        properties: {
          ...{ targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" },
          rights: { holder: { "fn::secret": "Canary Jane" }, evidence: "file 7", until: "2999-12-31" },
        },
      },
    },
  });
  for (const stack of [dynamic, plugin]) {
    const review = await cloudvoice(stack, ["review", "--save", "review.md"]);
    const up = await stack.ok(stack.up());
    const state = await stack.state();
    const found = await cloudvoice(stack, ["voices", "--rights", "--holder", "canary"]);
    expect([review.code, found.code]).toEqual([2, 2]);
    expect(found.stdout).toContain("[secret]");
    const printed = [review, found].map(({ stdout, stderr }) => stdout + stderr);
    for (const output of [...printed, up.output, state]) expect(output).not.toContain("Canary Jane");
  }
});
