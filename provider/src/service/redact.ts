import { visible } from "../rules/visible";

const maxReasonLength = 600;
/** A shared run of this many characters reveals something about a secret. Shorter ones are common words. */
const revealingLength = 16;

/**
 * Prepares a reason from outside for an error message: removes the API key, audio data and inputs that may be secret,
 * escapes control characters, and shortens it.
 */
export function redactReason(reason: string, apiKey: string, secretTexts: (string | undefined)[] = []): string {
  const redacted = replaceSecrets(reason, apiKey, secretTexts);
  // URLs share their beginnings with other URLs. Callers list the secret part of a signed URL, its query, separately.
  const mayBeQuotedInPart = secretTexts.filter((secret = "") => !/^https?:/i.test(secret));
  return mayBeQuotedInPart.some((secret = "") => containsPartOf(secret, redacted))
    ? "the service's reason is not shown, because it quotes an input that may be secret"
    : shorten(visible(redacted));
}

/** The same for an error code or a request id: these are never left out, because a bug report needs them. */
export function redactId(id: string, apiKey: string, secretTexts?: (string | undefined)[]): string {
  return visible(replaceSecrets(id, apiKey, secretTexts));
}

function replaceSecrets(text: string, apiKey: string, secretTexts: (string | undefined)[] = []): string {
  let replaced = text.replaceAll(apiKey, "[key]").replace(/data:[^\s"']{40,}/g, "data:[…]");
  for (const secret of secretTexts) {
    if (secret === undefined || secret.length <= 2) continue;
    const quotedInJson = JSON.stringify(secret).slice(1, -1);
    replaced = replaced.replaceAll(secret, "[…]").replaceAll(quotedInJson, "[…]");
  }
  return replaced;
}

function containsPartOf(secret: string, text: string): boolean {
  for (let start = 0; start + revealingLength <= secret.length; start++)
    if (text.includes(secret.slice(start, start + revealingLength))) return true;
  return false;
}

function shorten(text: string): string {
  const half = maxReasonLength / 2;
  return text.length <= maxReasonLength ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
}
