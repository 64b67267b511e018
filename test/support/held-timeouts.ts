/** Makes every time-out of a request end when the test ends it. Returns the time-outs with their lengths. */
export function heldTimeouts(): { ms: number; end: () => void }[] {
  const timeouts: { ms: number; end: () => void }[] = [];
  jest.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    timeouts.push({ ms, end: () => controller.abort(new DOMException("the time is over", "TimeoutError")) });
    return controller.signal;
  });
  return timeouts;
}
