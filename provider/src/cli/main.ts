import { describeThrown } from "../describe-thrown";
import { visible } from "../rules/visible";
import { commandLine } from "./commands";
import { secretsHidden, secretsIn } from "./known-secrets";
import { printError } from "./print";

// In `pulumi-cloudvoice voices | head`, `head` closes the pipe early. Ignore the error EPIPE: a command that deletes
// must finish, and its exit code reports the result.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  printError(`pulumi-cloudvoice: The output cannot be written: ${error.message}`);
  process.exit(1);
});

commandLine()
  .parseAsync()
  .catch((error: unknown) => {
    const hide = secretsHidden(secretsIn(process.env));
    printError(`pulumi-cloudvoice: ${visible(hide(describeThrown(error).message))}`);
    process.exitCode = 1;
  });
