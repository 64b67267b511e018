/** The program of the native plugin (provider/plugin/pulumi-resource-cloudvoice). It is not a part of the library. */
import { setFlagsFromString } from "node:v8";
import schema from "../plugin/schema.json";
import { servePlugin } from "./plugin/server";

// Collect garbage when the heap has doubled, not quadrupled. This halves the memory, at the same speed.
setFlagsFromString("--heap-growing-percent=100");
void servePlugin(schema);
