import { Command } from "commander";
import { version } from "../../package.json";
import { InputError } from "../errors";
import { visible } from "../rules/visible";
import { addCheckCommand } from "./check";
import { addDeleteCommand } from "./delete";
import { addDevCommand } from "./dev";
import { addDoctorCommand } from "./doctor";
import { addEmulatorCommand } from "./emulator";
import { addInitCommand } from "./init";
import { addMoveCommand } from "./move";
import { addReviewCommand } from "./review/command";
import { withoutCommands } from "./print";
import { addVoicesCommand } from "./voices";

export function commandLine(): Command {
  const program = new Command("pulumi-cloudvoice")
    .description("Voices, images and decisions of a cloud AI service, declared in code")
    .version(version)
    // An argument may be the name of a branch, and its message has lines of its own.
    .configureOutput({
      outputError: (text, write) => write(withoutCommands(`${text.trimEnd().split("\n").map(visible).join("\n")}\n`)),
    })
    .hook("preAction", (_, command) => assertFilled(command))
    .enablePositionalOptions();
  addInitCommand(program);
  addDevCommand(program);
  addReviewCommand(program);
  addCheckCommand(program);
  addVoicesCommand(program);
  addDeleteCommand(program);
  addMoveCommand(program);
  addDoctorCommand(program);
  addEmulatorCommand(program);
  return program;
}

/** A variable of a script may be empty: `delete --prefix "$PREFIX"` would select all voices. */
function assertFilled(command: Command): void {
  const empty = command.options.find((option) => command.getOptionValue(option.attributeName()) === "");
  if (empty !== undefined)
    throw new InputError(`The option ${empty.flags} is empty. Give it a value, or leave it out.`);
}
