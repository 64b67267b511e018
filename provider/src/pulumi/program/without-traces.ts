/**
 * Until what it returns is called, stacks are empty. The SDK writes the whole call stack of each resource's constructor into the
 * state: a kilobyte for each voice, of which the engine writes all anew at every step. It reads `new Error().stack`; an error that
 * is thrown meanwhile still tells its own, which is put into words only when somebody asks for it.
 */
export function withoutTraces(): () => void {
  const errors: { prepareStackTrace?: unknown } = Error;
  const before = errors.prepareStackTrace;
  errors.prepareStackTrace = String;
  return () => {
    errors.prepareStackTrace = before;
  };
}
