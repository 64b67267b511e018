import { Readable } from "node:stream";
import { extensionOf } from "../../provider/src/rules/file-formats";
import { download } from "../../provider/src/service/images/download";
import { pixelsOf } from "../../provider/src/service/images/picture";
import { fakeClock } from "../support/service";
import { pictures } from "./pictures";

/** Pictures as services send them, each with the truth about it: what was paid for is kept, whatever it is. */

test.each(pictures)("%s", async (_, bytes, truth) => {
  const open = () =>
    Promise.resolve({ status: 200, headers: {}, body: Readable.from(bytes.length > 0 ? [bytes] : []) });
  const http = { open, send: jest.fn(), close: jest.fn() };
  const about = { clock: fakeClock(), maxRetries: 0, imageBaseUrl: () => "https://service.example" };
  const context = { http, ...about };
  const work = download(context, "https://pictures.example/1");
  if (truth.refused !== undefined) return expect(work).rejects.toThrow(truth.refused);
  const { content, contentType, damage, seemsToBe } = await work;
  expect(content.equals(bytes)).toBe(true);
  expect({ extension: extensionOf(contentType), damaged: damage !== undefined, seemsToBe: seemsToBe ?? "" }).toEqual({
    extension: truth.extension,
    damaged: truth.damaged ?? false,
    seemsToBe: truth.seemsToBe ? (expect.stringMatching(truth.seemsToBe) as string) : "",
  });
  if (truth.size !== undefined) expect(Object.values(pixelsOf(content) ?? {})).toEqual(truth.size);
});
