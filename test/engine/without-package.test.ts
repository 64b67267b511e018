import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { root } from "../support/files";
import { isNative, said, Stack } from "../support/stack";

/** The plugin needs no package in the program's folder. */
const ofClasses = isNative() ? test.skip : test;

ofClasses("without the package, destroy and refresh name it and `npm install`, without a stack trace", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  stack.program(`
    for (const name of ["one", "two"]) new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" });
    new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse" });
  `);
  await stack.ok(stack.up());

  const modules = join(stack.folder, "node_modules");
  rmSync(modules);
  mkdirSync(join(modules, "@pulumi"), { recursive: true });
  symlinkSync(join(root, "node_modules", "@pulumi", "pulumi"), join(modules, "@pulumi", "pulumi"));
  for (const run of [await stack.destroy(), await stack.refresh()]) {
    expect(run.code).not.toBe(0);
    expect(said(run, "error: Cannot find module 'pulumi-cloudvoice/provider'")).toBe(3);
    expect(said(run, ": Run `npm install`")).toBe(3);
    expect(run.output).not.toMatch(/^\s+at /m);
  }
  expect(emulator.voices()).toHaveLength(2);

  rmSync(modules, { recursive: true });
  symlinkSync(join(root, "node_modules"), modules);
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toEqual([]);
});
