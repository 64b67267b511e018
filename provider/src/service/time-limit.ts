/**
 * A signal that aborts after `limitMs()`, which may grow meanwhile. Calls `onTimeout` before it aborts. The caller must
 * call `end`, because otherwise Node.js keeps the signal and what listens to it in memory.
 */
export function timeLimit(limitMs: () => number, onTimeout: () => void): { signal: AbortSignal; end: () => void } {
  const whole = new AbortController();
  let end = (): void => undefined;
  const wait = (fromMs: number) => {
    const untilMs = limitMs();
    // `AbortSignal.timeout` does not accept fractions of a millisecond.
    const part = AbortSignal.timeout(Math.ceil(untilMs - fromMs));
    const onEnd = () => {
      end();
      if (limitMs() > untilMs) return wait(untilMs);
      onTimeout();
      whole.abort(part.reason);
    };
    part.addEventListener("abort", onEnd);
    end = () => part.removeEventListener("abort", onEnd);
  };
  wait(0);
  return { signal: whole.signal, end: () => end() };
}
