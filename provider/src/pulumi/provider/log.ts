const told = new Set<string>();

/** The same for a matter that is said once, however it is worded. */
export function logOnce(matter: string, line: string): void {
  if (told.has(matter)) return;
  told.add(matter);
  log(line);
}

/**
 * One line in the pipeline's log, under the stack: the engine offers a dynamic provider no other place. The engine may ask twice
 * about one resource in one operation; the line stands there once.
 */
export function log(line: string): void {
  if (told.has(line)) return;
  told.add(line);
  console.log(`cloudvoice: ${line}`);
}
