#!/usr/bin/env node
import { Command } from "commander";
import { version } from "../../package.json";
import { describeThrown } from "../describe-thrown";
import { addDeleteCommand } from "./delete";
import { addDoctorCommand } from "./doctor";
import { addEmulatorCommand } from "./emulator";
import { addReviewCommand } from "./review/command";
import { addVoicesCommand } from "./voices";

// In `pulumi-cloudvoice voices | head`, `head` closes the pipe early. That is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(process.exitCode);
  console.error(`pulumi-cloudvoice: The output cannot be written: ${error.message}`);
  process.exit(1);
});

const program = new Command("pulumi-cloudvoice")
  .description("Voices, images and decisions of a cloud AI service, declared in code")
  .version(version);
addReviewCommand(program);
addVoicesCommand(program);
addDeleteCommand(program);
addDoctorCommand(program);
addEmulatorCommand(program);
program.parseAsync().catch((error: unknown) => {
  console.error(`pulumi-cloudvoice: ${describeThrown(error).message}`);
  process.exitCode = 1;
});
