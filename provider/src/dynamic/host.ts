import { CloudVoiceError } from "../errors";
import { InitializationFailed, type Props } from "../lifecycle/lifecycle";

/*
 * Workaround: this whole file is about `cmd/dynamic-provider` of @pulumi/pulumi 3.216 to 3.248, the program that runs
 * dynamic providers. test/pulumi/host.test.ts runs the code of that program, and fails when one of these behaviours
 * changes.
 */

/** Removes each `undefined`, for which `dynamic-provider`'s conversion to protobuf throws "Unexpected struct type.". */
export function withoutUndefined(props: Props): Props {
  return JSON.parse(JSON.stringify(props)) as Props;
}

/**
 * The error for `create` and `update`. From an error with `id`, `properties` and `reasons`, `dynamic-provider` makes an
 * initialization error, but does not add `__provider`, without which the engine could not delete the resource. Of any
 * other error, `dynamic-provider` passes on only the message, so the stack of an unexpected error is added to the
 * message.
 */
export function resultError(error: unknown, inputs: Props, saved: (state: object) => Props): unknown {
  if (error instanceof InitializationFailed) {
    const properties = { ...saved(error.state), __provider: inputs.__provider };
    return Object.assign(new Error(error.message), { id: error.id, properties, reasons: [error.message] });
  }
  if (CloudVoiceError.is(error) || !(error instanceof Error)) return error;
  return Object.assign(error, { message: `unexpected: ${error.stack ?? error.message}` });
}

/*
 * An error of check, diff, read and delete is printed twice: by `dynamic-provider` as `${error}: ${error.stack}`, and
 * by the engine at the resource. This text marks expected errors, so that the print of `dynamic-provider` can be
 * dropped.
 */
const suppressedPrint = "\u200bcloudvoice\u200b";

/** The error for check, diff, read and delete, which is printed once and without a stack. */
export function printedOnce(error: unknown): unknown {
  if (!CloudVoiceError.is(error)) return error;
  return Object.assign(new Error(error.message), { stack: suppressedPrint, toString: () => suppressedPrint });
}

/**
 * Keeps `dynamic-provider` from printing the errors that {@link printedOnce} made, because the engine prints them
 * anyway. Called once, when the package is loaded into the provider process.
 */
export function dropErrorsPrintedByEngine(target: Pick<Console, "error"> = console): void {
  const print = target.error.bind(target);
  target.error = (...args: unknown[]) => {
    if (args[0] !== `${suppressedPrint}: ${suppressedPrint}`) print(...args);
  };
}
