import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { makeVirtualEnvironment } from "../../tools/engine/python";
import { exampleIn } from "../../tools/generate/examples";
import { compileGoSdk, generateSdks, packedPythonSdk } from "../../tools/generate-sdks";
import { pluginFolder } from "../../tools/plugin-stack";
import { putRecordings, Stack } from "../../tools/stack";
import { emulate } from "../support/emulate";
import { put, recordings, temporaryFolder } from "../support/files";
import { counted, killCommandLine } from "../support/stack";
import { until } from "../support/until";

/** Programs use the SDKs that Pulumi generates from the plugin's schema. Catalogs are in examples.test.ts. */

let sdks: string;
beforeAll(async () => {
  sdks = temporaryFolder();
  await generateSdks(sdks);
});

test("Pulumi generates an SDK for each language", () => {
  const java = "java/src/main/java/local/cloudvoice/CloudVoice.java";
  const files = ["python/pyproject.toml", "go/cloudvoice/cloudVoice.go", "dotnet/CloudVoice.cs", java];
  expect(files.filter((file) => !existsSync(join(sdks, file)))).toEqual([]);
  expect(readFileSync(join(sdks, "dotnet/CloudVoice.cs"), "utf8")).toContain("public partial class CloudVoice");
});

test("the package contains the SDK for Python as it is generated from the schema: npm run plugin-sdks -- python", () => {
  for (const file of readdirSync(join(sdks, "python", "pulumi_cloudvoice")).filter((name) => /\.pyi?$/.test(name)))
    expect(readFileSync(join(packedPythonSdk, "pulumi_cloudvoice", file), "utf8")).toBe(
      readFileSync(join(sdks, "python", "pulumi_cloudvoice", file), "utf8"),
    );
});

test("the SDK for Go compiles, and so does a program that uses it", () => {
  const program = `
package program

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"pulumi-cloudvoice.local/sdk/go/cloudvoice"
)

func declare(ctx *pulumi.Context) error {
	narrator, err := cloudvoice.NewCloudVoice(ctx, "narrator", &cloudvoice.CloudVoiceArgs{
		TargetModel: pulumi.String("svc3-tts-vc-2026-01-22"),
		Audio:       pulumi.String("a.wav"),
		Triggers:    pulumi.Array{pulumi.Int(1), pulumi.String("two")},
	})
	if err != nil {
		return err
	}
	_, err = cloudvoice.NewDecision(ctx, "gate", &cloudvoice.DecisionArgs{
		State:     pulumi.Map{"ticket": pulumi.Int(1)},
		Questions: cloudvoice.QuestionMap{"ok": cloudvoice.QuestionArgs{Type: pulumi.String("noul")}},
		Expect:    cloudvoice.ExpectationMap{"ok": cloudvoice.ExpectationArgs{Max: pulumi.Float64(1)}},
	})
	ctx.Export("voice", narrator.Voice)
	ctx.Export("total", cloudvoice.GetVoicesOutput(ctx, cloudvoice.GetVoicesOutputArgs{}).Total())
	return err
}
`;
  put(join(sdks, "program"), "program.go", program);
  // The examples in the schema.
  for (const kind of ["voice", "image", "decision"] as const)
    put(join(sdks, `example-${kind}`), "main.go", exampleIn("go", kind));
  compileGoSdk(sdks);
});

function writeProject(folder: string, runtime: object): void {
  const plugins = { providers: [{ name: "cloudvoice", path: pluginFolder }] };
  writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify({ name: "program", runtime, plugins }));
  putRecordings(folder);
}

/** What every language must do. The program declares two voices, an image, a decision, and a stack output `total`. */
async function provesItself(stack: Stack, emulator: Emulator): Promise<void> {
  const killed = stack.start(["up", "--yes", "--skip-preview"]);
  await until(() => emulator.underWay("create") === 2);
  killCommandLine(killed.child);
  await killed.done;
  await stack.pulumi("cancel", "--yes");

  await stack.ok(stack.up());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, calls: { create: 2 } });
  await stack.ok(stack.preview("--expect-no-changes"));
  const lists = emulator.summary().calls.list ?? 0;
  await stack.ok(stack.refresh("--expect-no-changes"));
  // One page, and the proof that it is the whole list.
  expect(emulator.summary().calls.list).toBe(lists + 2);

  copyFileSync(recordings.otherMp3, join(stack.folder, "b.mp3"));
  expect(counted(await stack.ok(stack.up()), "replaced")).toBe(1);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3, calls: { delete: 1 } });
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
}

const settings = {
  CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1",
  CLOUDVOICE_SETTLE_SECONDS: "2",
  CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "4",
};

test("a program in Python: up, kill and resume, empty preview, refresh with one list, replace, destroy", async () => {
  const emulator = await emulate({ createDelayMs: 700 });
  const folder = temporaryFolder();
  writeProject(folder, { name: "python" });
  makeVirtualEnvironment(folder, join(sdks, "python"));
  const program = `
import pulumi
import pulumi_cloudvoice as cv

model = "svc3-tts-vc-2026-01-22"
narrator = cv.CloudVoice("narrator", target_model=model, audio="a.wav", language="en", text=pulumi.Output.secret("hush"),
              rights={"holder": pulumi.Output.secret("Jane"), "evidence": "file 7", "until": "2999-12-31"})
cv.CloudVoice("support", target_model=model, audio="b.mp3", triggers=[1, "two", True])
cover = cv.GeneratedImage("cover", model="svc-image", prompt="A lighthouse", save_to="covers")
gate = cv.Decision(
    "gate",
    state={"ticket": 1},
    questions={"ok": cv.QuestionArgs(type="noul", instructions="Is it fine?")},
    expect={"ok": cv.ExpectationArgs(max=1)},
)
pulumi.export("file", cover.images[0].file)
pulumi.export("ok", gate.answers["ok"].noul)
pulumi.export("remaining", cv.get_voices().quota)
`;
  writeFileSync(join(folder, "__main__.py"), program);
  const stack = await Stack.of(folder, emulator, { settings, host: "pulumi-language-python" });
  // The host is of SDK 3.68. It reads the option `virtualenv` from its arguments, and today's engine passes none.
  const python = join(folder, "venv", "bin");
  await provesItself(stack.with({ PATH: [python, stack.env.PATH].join(delimiter) }), emulator);
});
