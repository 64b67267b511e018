/*
 * For the engine tests only, through NODE_OPTIONS: the processes of the Pulumi SDK start in half of their time.
 */
const { existsSync } = require("node:fs");
const Module = require("node:module");
const { join } = require("node:path");
const process = require("node:process");

/*
 * The SDK loads TypeScript, readers of packages, the Automation API and the exporters of traces in each process. It uses
 * the first two to serialize functions and to run programs in TypeScript. All are loaded when first used.
 */
const lazy = new Set([
  "typescript",
  "@npmcli/arborist",
  "normalize-package-data",
  "fdir",
  "./automation",
  ...[
    "exporter-zipkin",
    "instrumentation",
    "instrumentation-grpc",
    "resources",
    "sdk-trace-base",
    "sdk-trace-node",
  ].map((name) => `@opentelemetry/${name}`),
]);
/** Reads the source maps of the SDK for the first error that has a stack, also if no one prints it. */
const sourceMaps = "source-map-support/register";
const load = Module._load;

Module._load = function (request, ...rest) {
  if (request === sourceMaps) return {};
  if (!lazy.has(request)) return load.call(this, request, ...rest);
  let real;
  const loaded = () => (real ??= load.call(this, request, ...rest));
  const get = (_, name) => (name === "__esModule" ? true : name === "default" ? loaded() : loaded()[name]);
  return new Proxy({}, { get });
};

/*
 * The Node.js host of SDK 3.68 reads the option `typescript` of Pulumi.yaml from its arguments, and engine 3.259
 * passes none. So it prepares each program for TypeScript. A program in JavaScript does not need that.
 */
const pwd = process.argv[process.argv.indexOf("--pwd") + 1];
if (process.env.PULUMI_NODEJS_TYPESCRIPT !== undefined && existsSync(join(pwd, "index.js")))
  delete process.env.PULUMI_NODEJS_TYPESCRIPT;

/** With this variable, which engine 3.259 sets, the SDK traces each call, and sends the traces to the engine. */
delete process.env.TRACEPARENT;
