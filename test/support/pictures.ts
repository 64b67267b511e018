import type { ServerResponse } from "node:http";
import { PNG } from "pngjs";
import type { Emulator } from "../../provider/emulator";
import { inFrontOf } from "./in-front";
import { serve } from "./serve";

/** A whole picture. */
export const picture = PNG.sync.write(new PNG({ width: 64, height: 48 }));

/** The container of JPEG XL. */
const jpegXl = Buffer.from("0000000c4a584c200d0a870a", "hex");

/** How a download goes. */
export const downloads = {
  whole: (response) => void response.end(picture),
  /** One bit is wrong. */
  damaged: (response) => void response.end(picture.map((byte, at) => (at === 50 ? byte ^ 1 : byte))),
  unexpected: (response) => void response.end(Buffer.concat([jpegXl, Buffer.alloc(100)])),
  page: (response) => void response.end("<!doctype html><title>Sign in</title>"),
  dead: (response) => void response.writeHead(403).end(),
  /** Ends early without saying how much should have come. */
  short: (response) => {
    response.write(picture.subarray(0, picture.length - 6));
    response.end();
  },
  reset: (response) => {
    response.writeHead(200, { "content-length": picture.length });
    response.write(picture.subarray(0, 40), () => response.socket?.resetAndDestroy());
  },
  /** A byte now and then, for ever. */
  trickle: (response) => {
    response.write(picture.subarray(0, 40));
    const timer = setInterval(() => response.write("."), 10);
    response.once("close", () => clearInterval(timer));
  },
} satisfies Record<string, (response: ServerResponse) => void>;
type Download = keyof typeof downloads;

/**
 * The emulator, with its pictures on another server, which answers each download as the next of `plan` says and the
 * last one from then on. `plan` may be changed meanwhile.
 */
export async function withPictures(emulator: Emulator, plan: Download[]) {
  const seen: string[] = [];
  const { url } = await serve((request, response) => {
    seen.push(request.url ?? "");
    const next = (plan.length > 1 ? plan.shift() : plan[0]) ?? "whole";
    downloads[next](response);
  });
  const service = await inFrontOf(emulator, ({ request, answer }) =>
    request.method === "GET" ? { answer: answer.replace(/http:[^"]*?(?=\/images\/)/g, url) } : undefined,
  );
  return { service, seen };
}
