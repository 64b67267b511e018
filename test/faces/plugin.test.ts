import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeProgram, type YamlProgram } from "../../tools/plugin-stack";
import { held, listed } from "../support/held";
import { counted } from "../support/stack";
import { image, recordAgain, resourceNamed, voice, yamlStack } from "./yaml-stack";

/** The native plugin on the real engine, with programs in YAML. */

test("voices, images and decisions are created once, stay unchanged, are replaced by what differs, and are deleted", async () => {
  const { emulator, stack } = await yamlStack();
  const secrets = [`cloudvoice:apiKey=${emulator.apiKey}`, "script=The secret script"];
  await stack.ok(stack.pulumi("config", "set-all", ...secrets.flatMap((secret) => ["--secret", secret])));
  const program = (language: string): YamlProgram & { config: object } => ({
    config: { script: { type: "string", secret: true } },
    resources: {
      narrator: voice({ language, text: "${script}" }),
      support: voice({ audio: "b.mp3" }),
      cover: image({ saveTo: "covers" }),
      gate: {
        type: "cloudvoice:Decision",
        properties: {
          state: "${script}",
          questions: { ok: { type: "noul", instructions: "Is it fine?" } },
          expect: { ok: { max: 1 } },
        },
      },
    },
    variables: { all: { "fn::invoke": { function: "cloudvoice:getVoices", arguments: {} } } },
    outputs: { total: "${all.total}", file: "${cover.images[0].file}" },
  });
  writeProgram(stack.folder, program("en"));
  // The key comes from the configuration alone.
  const configured = stack.with({ CLOUDVOICE_API_KEY: "" });

  const up = await configured.ok(configured.up());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, tasks: 1, calls: { create: 2, decide: 1 } });
  expect(up.output).toMatch(/file *: "covers\/cover-1-[0-9a-f]{12}.png"/);
  // Progress is the status of the resource, and is in no closing list of diagnostics.
  expect(up.output).toMatch(/GeneratedImage cover creating .*SUCCEEDED/);
  expect(up.output.slice(up.output.indexOf("Diagnostics:"))).not.toContain("SUCCEEDED");

  await configured.ok(configured.up("--refresh", "--expect-no-changes"));

  expect(await configured.state()).not.toMatch(/The secret script|identity|secretInputs|label/);
  expect((await resourceNamed(configured, "gate")).outputs?.answers).toHaveProperty("ciphertext");

  writeProgram(stack.folder, program("de"));
  recordAgain(stack);
  const preview = await configured.ok(configured.preview("--diff"));
  expect(preview.output).toMatch(/~ language: "en" => "de"/);
  expect(preview.output).toMatch(/~ audioSha256 *: "/);
  expect(counted(preview, "replace")).toBe(2);
  await configured.ok(configured.up());
  expect(emulator.summary().calls).toMatchObject({ create: 4, delete: 2, submit: 1, decide: 1 });

  await configured.ok(configured.destroy());
  expect(emulator.voices()).toEqual([]);
});

test("voices and images are imported without paying: what is declared first is believed, a later change replaces", async () => {
  const { emulator, stack } = await yamlStack({ made: image({}, { retainOnDelete: true }) });
  const [known = "", other = ""] = emulator.seedVoices("default", 2, { preferredName: "by_hand" });
  await stack.ok(stack.up());
  const { id: task } = await resourceNamed(stack, "made");
  const imports = ["cloudvoice:index:CloudVoice", "first", known, "--yes", "--protect=false", "--generate-code=false"];
  await stack.ok(stack.pulumi("import", ...imports));
  const declared = {
    first: voice({ audio: "a.wav", language: "en" }),
    second: voice({ audio: "b.mp3" }, { import: other }),
    taken: image({ saveTo: "covers" }, { import: task }),
  };
  writeProgram(stack.folder, { resources: declared });
  await stack.ok(stack.up());
  // The engine imports without changes. The next update downloads the image.
  await stack.ok(stack.up());
  expect((await stack.resources()).map(({ id }) => id)).toEqual(expect.arrayContaining([known, other, task]));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0, tasks: 1 });
  expect(existsSync(join(stack.folder, "covers"))).toBe(true);

  const changed = { first: voice({ audio: "c.m4a", language: "en" }), taken: image({ prompt: "A storm" }) };
  writeProgram(stack.folder, { resources: changed });
  expect(counted(await stack.ok(stack.preview()), "replace")).toBe(2);
  expect((await stack.pulumi("import", "cloudvoice:index:Decision", "gate", "x", "--yes")).output).toContain(
    "a decision can't be imported",
  );

  // A voice that was imported goes with its resource.
  await stack.ok(stack.destroy());
  expect(listed(emulator)).toEqual([]);
});

test("`replaceOnChanges` of a free input replaces the resource and keeps its voice, whose content is the same", async () => {
  const { emulator, stack } = await yamlStack();
  const declare = (holder: string) => {
    const rights = { holder, evidence: "contract 1" };
    const [always, first] = [{ replaceOnChanges: ["*"] }, { replaceOnChanges: ["rights"], deleteBeforeReplace: true }];
    const chosen = voice({ rights, preferredName: "chosen" }, always);
    writeProgram(stack.folder, {
      resources: { chosen, first: voice({ rights, preferredName: "first" }, first), own: voice({ rights }, always) },
    });
  };
  declare("A");
  await stack.ok(stack.up());
  declare("B");
  await stack.ok(stack.up());
  expect(await held(stack)).toEqual(listed(emulator));
  const { create, delete: deleted } = emulator.summary().calls;
  expect({ create, deleted }).toEqual({ create: 3, deleted: undefined });
});
