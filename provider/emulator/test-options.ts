import type { Quirk } from "./forms";
import type { EmulatorOptions } from "./types";

/** The options for the tests of this package: other responses than the service is known to send. */
export interface TestOptions extends EmulatorOptions {
  /**
   * A seed for the parts of responses that the service's description leaves open: names, nesting, states, statuses and
   * errors. The same seed gives the same responses. Default: the form that `form` names.
   */
  dialect?: number;
  /** Where responses have their fields: in an object `output`, or at the top level. Default: `nested`. */
  form?: "nested" | "flat";
  /**
   * Adds control characters, markup, mentions and links to each text in responses. `long` also adds a million
   * characters. Default: `false`.
   */
  hostile?: boolean | "long";
  /** Forms of responses that the service may also use (see docs/service.md), for example `null-list`. Default: none. */
  quirks?: Quirk[];
}
