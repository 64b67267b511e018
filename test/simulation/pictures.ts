import { sha256Of } from "../../provider/src/files";
import type { PictureStore } from "../../provider/src/service/images/picture-store";
import type { Processes } from "./process";

/**
 * The folders that `saveTo` names, of every machine: two copies of a project on one bucket share them. A save happens as
 * a whole at its event, or never.
 */
export class Pictures {
  private readonly files = new Map<string, Buffer>();
  /** The files that the person removed or changed. */
  private readonly touched = new Set<string>();

  /** The names of all files, with their folders. */
  get names(): string[] {
    return [...this.files.keys()];
  }

  open(saveTo: string, processes: Processes): PictureStore {
    const { files } = this;
    const atOnce = <T>(work: () => T) => new Promise<T>((resolve) => processes.inProvider(5, () => resolve(work())));
    return {
      addressOf: (name) => `${saveTo}/${name}`,
      assertUsable: () => Promise.resolve(),
      save: (address, bytes) => atOnce(() => this.save(address, bytes)),
      look: (address, { sha256 }) =>
        atOnce(() => {
          const found = files.get(address);
          if (found === undefined) return "missing";
          return sha256Of(found) === sha256 ? "whole" : "different";
        }),
      read: (address) => atOnce(() => files.get(address)),
      place: "on this machine",
    };
  }

  /** The person removes the file, or puts something else in its place. */
  touch(address: string, content: Buffer | undefined): void {
    this.touched.add(address);
    if (content === undefined) this.files.delete(address);
    else this.files.set(address, content);
  }

  /** Whether the file has this content, as far as the person has left it alone. */
  has(address: string, sha256: string): boolean {
    const found = this.files.get(address);
    return this.touched.has(address) || (found !== undefined && sha256Of(found) === sha256);
  }

  /** As the package's stores do. */
  private save(address: string, bytes: Buffer): boolean {
    const before = this.files.get(address);
    if (before !== undefined) return before.equals(bytes);
    this.files.set(address, bytes);
    this.touched.delete(address);
    return true;
  }
}
