/** The projects that people have: who installs the package, what their program is written in, on which Node.js, and where the package comes from. */
export interface Cell {
  manager: Manager;
  program: Program;
  node: 20 | 22 | 24;
  /** `@pulumi/pulumi`: the oldest that the package allows, the last that runs on Node.js 20, or the newest. */
  sdk: "3.216" | "3.248" | "newest";
  /** `alone`: a project; `workspace`: a member of one; `component`: the program knows a company's package alone, which brings ours. */
  place: "alone" | "workspace" | "component";
}

export const managers = ["npm", "pnpm", "yarn"] as const;
export type Manager = (typeof managers)[number];
export const programs = ["commonjs", "typescript", "esm"] as const;
export type Program = (typeof programs)[number];

export const cells: Cell[] = [
  ...managers.flatMap((manager) =>
    programs.map((program): Cell => ({ manager, program, node: 20, sdk: "3.248", place: "alone" })),
  ),
  ...programs.map((program): Cell => ({ manager: "npm", program, node: 20, sdk: "3.216", place: "alone" })),
  { manager: "npm", program: "typescript", node: 20, sdk: "3.248", place: "workspace" },
  { manager: "npm", program: "commonjs", node: 20, sdk: "3.248", place: "component" },
  { manager: "pnpm", program: "commonjs", node: 20, sdk: "3.248", place: "component" },
  ...([22, 24] as const).flatMap((node) => [
    ...programs.map((program): Cell => ({ manager: "npm", program, node, sdk: "newest", place: "alone" })),
    { manager: "npm", program: "typescript", node, sdk: "3.248", place: "alone" } as const,
  ]),
];

export function nameOf({ manager, program, node, sdk, place }: Cell): string {
  return `${manager}, ${program}, Node.js ${node}, SDK ${sdk}${place === "alone" ? "" : `, ${place}`}`;
}

/** Strict pnpm hides a component's own dependencies from the program, where the engine looks: told in the constructor, with the way on. */
export function isRefused({ manager, place }: Cell): boolean {
  return manager === "pnpm" && place === "component";
}
