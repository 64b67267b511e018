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
