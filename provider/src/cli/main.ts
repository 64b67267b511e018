#!/usr/bin/env node
import { Command } from "commander";
import { addEmulatorCommand } from "./emulator";
import { addVoicesCommand } from "./voices";

const program = new Command("cloudvoice").description("Voices, images and decisions of a cloud AI service, declared in code");
addEmulatorCommand(program);
addVoicesCommand(program);
program.parseAsync().catch((error: unknown) => {
  console.error(`cloudvoice: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
