import type { Emulator } from "../../provider/emulator";
import { voicePath } from "../support/contract";

export interface Reply {
  status: number;
  body: { code?: string; message?: string; output?: Record<string, unknown> };
}

/** Sends one voice call to the emulator, without the client. */
export async function postVoiceCall({ url, apiKey }: Pick<Emulator, "url" | "apiKey">, input: object): Promise<Reply> {
  const response = await fetch(url + voicePath, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-voice-enrollment", input }),
  });
  return { status: response.status, body: (await response.json()) as Reply["body"] };
}

/** Sends a request to a control route of the emulator. */
export async function control(
  { url }: Pick<Emulator, "url">,
  method: string,
  route: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(`${url}/_emulator/${route}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

export function dataUrl(bytes: Buffer, mediaType: string): string {
  return `data:${mediaType};base64,${bytes.toString("base64")}`;
}

/** The input of a create that the emulator accepts, with the given changes. */
export function createInput(data: string, changes: object = {}): object {
  return {
    action: "create",
    target_model: "svc3-tts-vc-2026-01-22",
    preferred_name: "bob",
    audio: { data },
    ...changes,
  };
}
