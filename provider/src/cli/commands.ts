import { Command } from "commander";
import { version } from "../../package.json";
import { InputError } from "../errors";
import { visible, withoutCommands } from "../rules/visible";
import { addCheckCommand } from "./check";
import { addCommentCommand } from "./comment/command";
import { addDeleteCommand } from "./delete";
import { addDevCommand } from "./dev";
import { addDoctorCommand } from "./doctor";
import { addEmulatorCommand } from "./emulator";
import { addInitCommand } from "./init";
import { addRecordingsCommand } from "./recordings";
import { addReviewCommand } from "./review/command";
import { addUpCommand } from "./up";
import { addVoicesCommand } from "./voices";

export function commandLine(): Command {
  const program = new Command("pulumi-cloudvoice")
    .description("Voices, images and decisions of a cloud AI service, declared in code")
    .version(version, "-v, --version")
    // Escape each line: a message may quote an argument, e.g. a branch name with control characters.
    .configureOutput({
      outputError: (text, write) => write(withoutCommands(`${text.trimEnd().split("\n").map(visible).join("\n")}\n`)),
    })
    .hook("preAction", (_, command) => assertFilled(command))
    .enablePositionalOptions();
  addInitCommand(program);
  addDevCommand(program);
  addReviewCommand(program);
  addUpCommand(program);
  addRecordingsCommand(program);
  addCommentCommand(program);
  addCheckCommand(program);
  addVoicesCommand(program);
  addDeleteCommand(program);
  addDoctorCommand(program);
  addEmulatorCommand(program);
  program.addHelpText("after", "\nMore: docs/cli.md, docs/quick-start.md");
  for (const command of program.commands) {
    // eslint-disable-next-line cloudvoice/quoted-commands -- The examples below are commands.
    const lines = (examples[command.name()] ?? []).map((line) => `  npx --no-install pulumi-cloudvoice ${line}`);
    command.addHelpText("after", `\nExamples:\n${lines.join("\n")}\n\nMore: docs/cli.md#${command.name()}`);
  }
  return program;
}

const examples: Record<string, string[]> = {
  init: [
    "init my-voices",
    "init my-voices --language python",
    "init --pipeline github",
    "init --pipeline gitlab --environments dev,prod",
  ],
  dev: ["dev -- pulumi up --yes", "dev -- npm test"],
  review: [
    "review --stack prod",
    "review --stack prod --save review.html --limit cost=5",
    "review --drift --exit-code",
  ],
  up: ["up --stack prod --limit voices=500,cost=5"],
  recordings: ["recordings --to ../recordings", "recordings --to ../recordings --folder voices --publish yes"],
  comment: ["comment --review review.md --project voices --stack prod"],
  check: ["check recordings", "check --stack prod"],
  voices: ["voices", "voices --orphans --stack prod", "voices --rights --json"],
  delete: ["delete --orphans --stack prod", "delete svc-tts-vc-narrator-voice-20260101000000000-1a2b --stack prod"],
  doctor: ["doctor", "doctor --stack prod", "doctor --base-url https://service.example"],
  emulator: ["emulator --port 4010 --file voices.jsonl"],
};

/** Rejects empty words: if PREFIX is not set, `delete --prefix "$PREFIX"` would select all voices. */
function assertFilled(command: Command): void {
  const option = command.options.find((each) => command.getOptionValue(each.attributeName()) === "");
  // `dev` passes its words on to another command, which may take an empty one.
  const argument = command.registeredArguments.find((each, index) => !each.variadic && command.args[index] === "");
  const empty = option === undefined ? argument && `argument ${argument.name()}` : `option ${option.flags}`;
  if (empty !== undefined) throw new InputError(`The ${empty} is empty. Give it a value, or leave it out.`);
}
