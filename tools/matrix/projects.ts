import type { Manager } from "./managers";

/** A project as users have them: package manager, language, Node.js, SDK, and how it gets this package. */
export interface Project {
  manager: Manager;
  /**
   * `yaml` uses the native plugin. So does `native`, a program in JavaScript without a block in `Pulumi.yaml`, which
   * finds the plugin among the package manager's commands.
   */
  program: Program | "yaml" | "native";
  node: 20 | 22 | 24;
  /** The version of `@pulumi/pulumi`: the oldest allowed one, the last for Node.js 20, or the newest. */
  sdk: "3.216" | "3.248" | "newest";
  /**
   * `standalone`: the project has its own folder. `workspace`: it is a member of an npm workspace. `component`: the
   * program depends on a company's package, which depends on this one.
   */
  layout: "standalone" | "workspace" | "component";
  /** The oldest engine that is promised, in place of the installed or built one. */
  engine?: "oldest";
}

export const programs = ["commonjs", "typescript", "esm"] as const;
export type Program = (typeof programs)[number];

export const projects: Project[] = [
  ...(["npm", "pnpm", "yarn", "bun"] as const).flatMap((manager) =>
    programs.map((program): Project => ({ manager, program, node: 20, sdk: "3.248", layout: "standalone" })),
  ),
  { manager: "pnpm 10", program: "typescript", node: 20, sdk: "3.248", layout: "standalone" },
  { manager: "npm 12", program: "typescript", node: 22, sdk: "newest", layout: "standalone" },
  ...(["npm", "pnpm", "yarn", "bun"] as const).map((manager): Project => ({
    ...{ manager, program: "native", node: 20, sdk: "3.248", layout: "standalone" },
  })),
  ...programs.map((program): Project => ({ manager: "npm", program, node: 20, sdk: "3.216", layout: "standalone" })),
  ...(["npm", "pnpm"] as const).map((manager): Project => ({
    manager,
    program: "yaml",
    node: 20,
    sdk: "3.248",
    layout: "standalone",
  })),
  { manager: "npm", program: "typescript", node: 20, sdk: "3.248", layout: "workspace" },
  { manager: "npm", program: "commonjs", node: 20, sdk: "3.248", layout: "component" },
  { manager: "pnpm", program: "commonjs", node: 20, sdk: "3.248", layout: "component" },
  ...(["typescript", "yaml"] as const).map((program): Project => ({
    ...{ manager: "npm", program, node: 20, sdk: "3.248", layout: "standalone", engine: "oldest" },
  })),
  ...([22, 24] as const).flatMap((node) => [
    ...programs.map((program): Project => ({ manager: "npm", program, node, sdk: "newest", layout: "standalone" })),
    { manager: "npm", program: "typescript", node, sdk: "3.248", layout: "standalone" } as const,
  ]),
];

export function nameOf({ manager, program, node, sdk, layout, engine }: Project): string {
  const others = [...(layout === "standalone" ? [] : [layout]), ...(engine === undefined ? [] : [`${engine} engine`])];
  return [manager, program, `Node.js ${node}`, `SDK ${sdk}`, ...others].join(", ");
}

/**
 * Strict pnpm hides a component's dependencies from the program, from whose folder the engine looks for the provider.
 * So the constructor must throw an error that explains what to install.
 */
export function isUnsupported({ manager, layout }: Project): boolean {
  return manager === "pnpm" && layout === "component";
}
