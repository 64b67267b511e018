import type { Form } from "./forms";

/** The options of `pulumi-cloudvoice review`. */
export interface ReviewOptions {
  stack?: string;
  format: Form;
  json?: boolean;
  all?: boolean;
  save: string[];
  maxCost?: number;
  maxImageTasks?: number;
  maxDecisions?: number;
  drift?: boolean;
  embedAudio?: number | true;
}
