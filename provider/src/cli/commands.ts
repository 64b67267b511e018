import { Command } from "commander";
import { version } from "../../package.json";
import { addDeleteCommand } from "./delete";
import { addDevCommand } from "./dev";
import { addDoctorCommand } from "./doctor";
import { addEmulatorCommand } from "./emulator";
import { addInitCommand } from "./init";
import { addReviewCommand } from "./review/command";
import { addVoicesCommand } from "./voices";

export function commandLine(): Command {
  const program = new Command("pulumi-cloudvoice")
    .description("Voices, images and decisions of a cloud AI service, declared in code")
    .version(version)
    .enablePositionalOptions();
  addInitCommand(program);
  addDevCommand(program);
  addReviewCommand(program);
  addVoicesCommand(program);
  addDeleteCommand(program);
  addDoctorCommand(program);
  addEmulatorCommand(program);
  return program;
}
