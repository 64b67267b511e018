/** `npm run weights`: what `npm install pulumi-cloudvoice` adds to a project that has Pulumi's SDK already. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dependencies } from "../provider/package.json";
import { installPackedPackage } from "./install-packed";

const folder = mkdtempSync(join(tmpdir(), "cloudvoice-weights-"));
try {
  const modules = installPackedPackage(folder);
  const bytesIn = (path: string) =>
    readdirSync(path, { recursive: true, encoding: "utf8" })
      .map((name) => statSync(join(path, name)))
      .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
  const megabytes = (bytes: number) => Number((bytes / 1e6).toFixed(2));
  const packed = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  const rows = ["pulumi-cloudvoice", ...Object.keys(dependencies)].map(
    (name) => [name, bytesIn(join(modules, name))] as const,
  );
  console.table(Object.fromEntries(rows.map(([name, bytes]) => [name, { MB: megabytes(bytes) }])));
  const total = rows.reduce((sum, [, bytes]) => sum + bytes, 0);
  console.log(
    `${rows.length} packages, ${megabytes(total)} MB; the packed file: ${megabytes(statSync(join(folder, packed)).size)} MB`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
