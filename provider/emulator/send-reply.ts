import type { Response } from "express";
import type { Reply } from "./outcome";

export function sendReply(response: Response, { status, headers, body }: Reply): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}
