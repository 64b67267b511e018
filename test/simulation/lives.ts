import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The kept lives in a folder of `lives`, with their events and with how their service answered. */
export function livesIn<Life>(folder: string): [name: string, life: Life][] {
  const path = join(__dirname, "lives", folder);
  return readdirSync(path).map((file) => [
    file.replace(".json", ""),
    JSON.parse(readFileSync(join(path, file), "utf8")) as Life,
  ]);
}
