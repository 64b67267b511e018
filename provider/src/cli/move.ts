import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { InputError } from "../errors";
import { makeFolder } from "../files";
import { visible } from "../rules/visible";
import { pulumiJson, runPulumi } from "../run-pulumi";
import { stateFolder } from "../service/journal/open";
import { type MoveOptions, movableStack, type MovableStack, movedToSet } from "../stacks/move";
import { isConfirmed } from "./confirm";
import { counted } from "./listing";
import { printError } from "./print";
import { neededStack } from "./stack";

interface Options extends Pick<MoveOptions, "flat"> {
  stack?: string;
  yes?: boolean;
}

export function addMoveCommand(program: Command): void {
  program
    .command("move")
    .description("make the voices of a VoiceCatalog, or single voices, a VoiceSet in the state; nothing is billed")
    .argument("[name]", "the name of the catalog and of the new set (default: the only catalog of the stack)")
    .option("--stack <name>", "the stack (default: the selected stack)")
    .option(
      "--flat [voices...]",
      "move voices that are not in a catalog or another component: these voices, or all of them",
    )
    .option("--yes", "move without asking")
    .addHelpText(
      "after",
      "\nRun this in the folder of the Pulumi project, while no update runs. Then write a VoiceSet in place of the " +
        "voices in the program. The next preview should not show a change." +
        "\nThe command saves the old state, and prints the path. `pulumi stack import --file <path>` restores it." +
        "\nExit codes: 0 moved, 1 an error or not confirmed.",
    )
    .action(runMove);
}

async function runMove(catalog: string | undefined, options: Options): Promise<void> {
  const stack = await neededStack("move", options.stack);
  const before = await exportState(stack);
  const moved = movedToSet(before, { name: catalog, flat: options.flat });
  const name = visible(moved.name);
  const voices = counted(moved.voices, "voice");
  const isCatalog = options.flat === undefined;
  const what = isCatalog ? `The catalog ${name} of ${visible(stack)} becomes` : `In ${visible(stack)}, ${name} becomes`;
  const asked = {
    yes: options.yes ?? false,
    unasked: `${name} would be moved`,
    about: `${what} a VoiceSet with ${voices}. The service is not called.`,
  };
  if (!(await isConfirmed("Change the state?", asked))) {
    printError("Nothing was changed.");
    process.exitCode = 1;
    return;
  }
  const copy = saveCopy(before);
  if (JSON.stringify(await exportState(stack)) !== JSON.stringify(before))
    throw new InputError("the state changed after `move` had read it, because another update runs", {
      advice: "Run `move` again after that update.",
    });
  await importState(stack, moved.stack);
  printError(
    `${name} is a VoiceSet with ${voices} now. ` +
      `Write ${isCatalog ? "VoiceSet in place of VoiceCatalog" : "the set in place of its voices"} in the program, and run ` +
      `\`pulumi preview\`, which should not show a change. The old state is in ${visible(copy)}`,
  );
}

const exportState = (stack: string) => pulumiJson(["stack", "export", "--stack", stack], movableStack);

/** Saves a copy of the state outside the project, because the state may contain (encrypted) secrets. */
function saveCopy(state: MovableStack): string {
  const folder = join(stateFolder(), "moved");
  makeFolder(folder, 0o700);
  const copy = join(folder, `${new Date().toISOString().replace(/[^0-9TZ]/g, "")}.json`);
  writeFileSync(copy, JSON.stringify(state), { flag: "wx", mode: 0o600 });
  return copy;
}

async function importState(stack: string, content: MovableStack): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-move-"));
  try {
    const file = join(folder, "state.json");
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    const { failure } = await runPulumi(["stack", "import", "--stack", stack, "--file", file]);
    if (failure !== undefined) throw new InputError(failure);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
