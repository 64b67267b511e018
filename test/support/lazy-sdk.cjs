/*
 * For the engine tests only, through NODE_OPTIONS. The Pulumi SDK loads TypeScript and npm's arborist in each process, which
 * takes most of its start-up time. It uses them to serialize functions and to run programs in TypeScript, and these
 * tests do neither. So both are loaded when first used.
 */
const Module = require("node:module");

const lazy = new Set(["typescript", "@npmcli/arborist"]);
const load = Module._load;

Module._load = function (request, ...rest) {
  if (!lazy.has(request)) return load.call(this, request, ...rest);
  let real;
  const loaded = () => (real ??= load.call(this, request, ...rest));
  const get = (_, name) => (name === "__esModule" ? true : name === "default" ? loaded() : loaded()[name]);
  return new Proxy({}, { get });
};
