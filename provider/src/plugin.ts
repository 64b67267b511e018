/** The native plugin (provider/plugin/pulumi-resource-cloudvoice). A program of its own, and not a part of the library. */
import schema from "../plugin/schema.json";
import { servePlugin } from "./pulumi/plugin/server";

void servePlugin(schema);
