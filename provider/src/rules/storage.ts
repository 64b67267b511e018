import type { z } from "zod";
import { attempt } from "../describe-thrown";

export interface BucketLocation {
  bucket: string;
  /** The prefix of every object's key, without slashes at its ends. May be empty. */
  prefix: string;
  region?: string;
  /** The address of an S3-compatible server. */
  endpoint?: string;
  forcePathStyle?: boolean;
  profile?: string;
}

/** The place of files. A problem's reason repeats nothing that may be secret. */
export type Storage = { folder: string } | { bucket: BucketLocation } | { problem: string };

const example = "s3://bucket/prefix?region=eu-central-1";
/** The parameters of Pulumi's state backends. `awssdk` has no effect here. */
const parameters = ["region", "endpoint", "s3ForcePathStyle", "disableSSL", "profile", "awssdk"];

/** Reads a folder's path or a bucket's URL, which has the form of Pulumi's state backends. */
export function parseStorage(written: string): Storage {
  // A scheme has at least two letters: `C:/covers` and `C:\covers` are Windows paths.
  const scheme = /^[a-z][a-z0-9+.-]+(?=:\/)/i.exec(written)?.[0].toLowerCase();
  if (scheme === undefined) return { folder: written };
  if (scheme !== "s3")
    return { problem: `starts with ${scheme}://, which is not supported; use a folder, or ${example}` };
  const url = /^s3:\/\/[^/]/i.test(written) && URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || url.port !== "" || url.hash !== "") return { problem: `must be a bucket, as in ${example}` };
  if (url.username !== "" || url.password !== "") return { problem: noCredentials };
  const path = attempt(() => decodeURIComponent(url.pathname));
  if (path === undefined) return { problem: "has a prefix with a % that encodes nothing" };
  return readParameters({ bucket: url.hostname, prefix: path.replace(/^\/+|(?<!\/)\/+$/g, "") }, url.searchParams);
}

export function checkStorage(written: string, context: z.RefinementCtx): void {
  const storage = parseStorage(written);
  if ("problem" in storage) context.addIssue(storage.problem);
}

/** Whether two texts mean the same place, as `covers`, `./covers` and `covers/` do. */
export function isSamePlace(a: unknown, b: unknown): boolean {
  return placeOf(a) === placeOf(b);
}

function placeOf(written: unknown): string | undefined {
  if (typeof written !== "string") return undefined;
  const storage = parseStorage(written);
  if (!("folder" in storage)) return JSON.stringify(storage);
  const parts = storage.folder.split("/").filter((part) => part !== "" && part !== ".");
  return JSON.stringify([storage.folder.startsWith("/"), ...parts]);
}

export function isBucket(written: string): boolean {
  return "bucket" in parseStorage(written);
}

const noCredentials =
  "must not contain credentials: the S3 client takes them from the environment, a profile or the machine's role";

function readParameters(location: BucketLocation, query: URLSearchParams): Storage {
  for (const name of query.keys()) {
    if (!parameters.includes(name))
      return { problem: `has the parameter ${name}; the supported parameters are ${parameters.join(", ")}` };
    if (query.getAll(name).length > 1) return { problem: `has the parameter ${name} more than once` };
  }
  for (const name of ["s3ForcePathStyle", "disableSSL"]) {
    if (!/^(true|false|1|0)?$/i.test(query.get(name) ?? ""))
      return { problem: `has a ${name} that is not true or false` };
  }
  const isOn = (name: string) => query.getAll(name).some((value) => /true|1/i.test(value));
  const endpoint = endpointUrl(query.get("endpoint"), isOn("disableSSL"));
  if (endpoint === null) return { problem: "has an endpoint that is not an http(s) address" };
  if (endpoint !== undefined && (endpoint.username || endpoint.password)) return { problem: noCredentials };
  const region = query.get("region");
  const profile = query.get("profile");
  return {
    bucket: {
      ...location,
      ...(region && { region }),
      ...(endpoint && { endpoint: endpoint.href }),
      ...(isOn("s3ForcePathStyle") && { forcePathStyle: true }),
      ...(profile && { profile }),
    },
  };
}

/** An endpoint without a scheme, as `server:9000`, gets `https` unless SSL is disabled. Null if it is no address. */
function endpointUrl(written: string | null, disableSSL: boolean): URL | null | undefined {
  if (!written) return undefined;
  const full = /^[a-z]+:\/\//i.test(written) ? written : `${disableSSL ? "http" : "https"}://${written}`;
  return /^https?:\/\//i.test(full) && URL.canParse(full) ? new URL(full) : null;
}
