#!/usr/bin/env node
import { Command } from "commander";
import { describeThrown } from "../errors";
import { addDoctorCommand } from "./doctor";
import { addEmulatorCommand } from "./emulator";
import { addReviewCommand } from "./review/command";
import { addVoicesCommand } from "./voices";

// Whoever reads has read enough: `cloudvoice voices | head` is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(process.exitCode);
});

const program = new Command("cloudvoice").description("Voices, images and decisions of a cloud AI service, declared in code");
addReviewCommand(program);
addVoicesCommand(program);
addDoctorCommand(program);
addEmulatorCommand(program);
program.parseAsync().catch((error: unknown) => {
  console.error(`cloudvoice: ${describeThrown(error).message}`);
  process.exitCode = 1;
});
