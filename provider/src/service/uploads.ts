/** Nothing slower is supported, because each request would have to wait much longer before it is given up. */
const slowestBytesPerSecond = 50_000;

/** The most bytes of bodies under way at once. A larger body is sent alone. */
export const mostBytesUnderWay = 8_000_000;

/** A body of at most this size neither waits for others nor makes others wait. */
export const smallBodyBytes = 64 * 1024;

/** How often a body is sent at most, if it does not get through. */
export const mostUploadAttempts = 2;

/**
 * The longest time from the start of a request to its response. All bodies under way share one line, so each may take
 * as long as all of them. The same sum says when a later run may conclude that a request of a killed run has ended.
 */
export function longestRequestMs(requestTimeoutMs: number, bytesUnderWay = 0): number {
  return requestTimeoutMs + (bytesUnderWay / slowestBytesPerSecond) * 1000;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The body of a request under way. */
export interface Upload {
  bytes: number;
  /** The most bytes that were under way at once since this body was started, its own included. */
  mostUnderWay: number;
}

/** Limits the bodies under way in this process, because on a slow line each delays all others. */
export class Uploads {
  private readonly underWay = new Set<Upload>();
  private readonly waiting: { upload: Upload; start: () => void }[] = [];

  /** Calls `send` when there is room for the body. The body is under way until `send` ends. */
  async run<T>(bytes: number, send: (upload: Readonly<Upload>) => Promise<T>): Promise<T> {
    const upload = { bytes, mostUnderWay: 0 };
    if (bytes <= smallBodyBytes) this.add(upload);
    else
      await new Promise<void>((start) => {
        this.waiting.push({ upload, start });
        this.serve();
      });
    try {
      return await send(upload);
    } finally {
      this.underWay.delete(upload);
      this.serve();
    }
  }

  /** Starts waiting bodies in their order, so that no large body is overtaken for ever. */
  private serve(): void {
    for (let next = this.waiting[0]; next !== undefined && this.hasRoom(next.upload); next = this.waiting[0]) {
      this.waiting.shift();
      this.add(next.upload);
      next.start();
    }
  }

  private hasRoom({ bytes }: Upload): boolean {
    const isAlone = [...this.underWay].every((other) => other.bytes <= smallBodyBytes);
    return isAlone || this.bytes() + bytes <= mostBytesUnderWay;
  }

  private add(upload: Upload): void {
    this.underWay.add(upload);
    const bytes = this.bytes();
    for (const each of this.underWay) each.mostUnderWay = Math.max(each.mostUnderWay, bytes);
  }

  private bytes(): number {
    return [...this.underWay].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
