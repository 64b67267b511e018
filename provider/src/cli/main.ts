#!/usr/bin/env node
import { describeThrown } from "../describe-thrown";
import { commandLine } from "./commands";

// In `pulumi-cloudvoice voices | head`, `head` closes the pipe early. That is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(process.exitCode);
  console.error(`pulumi-cloudvoice: The output cannot be written: ${error.message}`);
  process.exit(1);
});

commandLine()
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`pulumi-cloudvoice: ${describeThrown(error).message}`);
    process.exitCode = 1;
  });
