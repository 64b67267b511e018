import { visible } from "../rules/visible";

/** Far longer than any reason. It protects logs and states against a service that sends without end. */
const maxReasonLength = 4000;

/** Stands for a reason that comes from the service and may quote a secret input. */
export const hiddenReason = "the service's reason is not shown, because it may quote a secret input";

/** The service's reason as logs and states may have it. `secret`: whether an input is secret, or may be. */
export function shownReason(reason: string, apiKey: string, secret: boolean): string {
  return secret ? hiddenReason : redactReason(reason, apiKey);
}

/**
 * Prepares a reason from outside for an error message: removes the API key and audio data, and escapes control
 * characters.
 */
export function redactReason(reason: string, apiKey: string): string {
  return shorten(visible(withoutSecrets(reason, apiKey)));
}

/** The same for an error code or a request id. */
export function redactId(id: string, apiKey: string): string {
  return visible(withoutSecrets(id, apiKey));
}

function withoutSecrets(text: string, apiKey: string): string {
  return text.replaceAll(apiKey, "[key]").replace(/data:[^\s"']{40,}/g, "data:[…]");
}

function shorten(text: string): string {
  const half = maxReasonLength / 2;
  return text.length <= maxReasonLength ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
}
