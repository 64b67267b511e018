import { CloudVoiceError } from "../../errors";
import { InitializationFailed, type Props } from "./lifecycle";

/*
 * Workaround: all of this file is for the program that runs dynamic providers, `cmd/dynamic-provider` of @pulumi/pulumi
 * 3.216 to 3.248. test/pulumi/host.test.ts runs that program's own code and fails when one of its behaviours changes.
 */

/**
 * The program converts results to protobuf, which ends with "Unexpected struct type." at an `undefined` anywhere in
 * them.
 */
export function withoutUndefined(props: Props): Props {
  return JSON.parse(JSON.stringify(props)) as Props;
}

/**
 * The error as `create` and `update` must throw it. The program turns `id`, `properties` and `reasons` into the
 * engine's initialization error, but does not add `__provider` to the properties, without which the resource could
 * not be deleted. It passes on only the message of any other error, so an unexpected one carries its stack in the
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
 * An error of check, diff, read and delete is printed twice: the program prints `${error}: ${error.stack}`, and the
 * engine prints its message at the resource. We drop the program's print of an expected failure. This mark is how we
 * recognise it.
 */
const suppressedPrint = "\u200bcloudvoice\u200b";

/** The error as check, diff, read and delete must throw it, so that it is printed once and without a stack. */
export function printedOnce(error: unknown): unknown {
  if (!CloudVoiceError.is(error)) return error;
  return Object.assign(new Error(error.message), { stack: suppressedPrint, toString: () => suppressedPrint });
}

/** Drops the first print of the errors above. Installed once, when the package is loaded into the provider process. */
export function dropErrorsPrintedByEngine(target: Pick<Console, "error"> = console): void {
  const print = target.error.bind(target);
  target.error = (...args: unknown[]) => {
    if (args[0] !== `${suppressedPrint}: ${suppressedPrint}`) print(...args);
  };
}
