import { chmodSync } from "node:fs";
import { getGateway } from "../../tools/gateway/gateway";
import { put, temporaryFolder } from "../support/files";

const { XDG_CACHE_HOME, PATH } = process.env;
afterEach(() => {
  process.env.PATH = PATH;
  if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
});

test("the S3 server of the tests comes from the cache; without it and without Go, the error names Go", () => {
  const cache = temporaryFolder();
  Object.assign(process.env, { XDG_CACHE_HOME: cache, PATH: cache });
  // A cached engine is no cached server.
  put(cache, `pulumi-cloudvoice/engine/${process.platform}-${process.arch}/pulumi`, "");
  expect(() => getGateway()).toThrow("Go is not installed");
  const cached = put(cache, `pulumi-cloudvoice/gateway/${process.platform}-${process.arch}/versitygw-1.8.0`, "");
  chmodSync(cached, 0o755);
  expect(getGateway()).toBe(cached);
});
