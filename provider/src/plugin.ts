/**
 * The native plugin (provider/plugin/pulumi-resource-cloudvoice). A program of its own, and not a part of the library.
 */
import { setFlagsFromString } from "node:v8";
import schema from "../plugin/schema.json";
import { servePlugin } from "./pulumi/plugin/server";
import { apartArgument } from "./service/apart/apart";

// An executable has no other file: it is also the program that reads files (service/apart).
if (process.argv.includes(apartArgument)) void import("./service/apart/program");
else start();

function start(): void {
  // By default the heap grows to four times what is in use before garbage is collected. Twice takes no longer, and half
  // the memory.
  setFlagsFromString("--heap-growing-percent=100");
  void servePlugin(schema);
}
