import type * as S3 from "@aws-sdk/client-s3";
import { createRequire } from "node:module";
import { join } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { describeThrown } from "../describe-thrown";
import { CloudVoiceError, InputError } from "../errors";
import { once } from "../once";
import type { BucketLocation } from "../rules/storage";

export interface BucketOptions {
  requestTimeoutMs: number;
  maxRetries: number;
  /** The program's folder. The S3 client is looked for there if it is not found from this file's folder. */
  programFolder: string;
}

const clientPackage = "@aws-sdk/client-s3";

/**
 * Finds the S3 client, an optional peer dependency. Workaround: with a strict package manager (e.g. pnpm), only the
 * program's folder may lead to this package.
 */
function resolveClient(programFolder: string): string | undefined {
  for (const from of [__filename, join(programFolder, "program.js")]) {
    try {
      return createRequire(from).resolve(clientPackage);
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Why no bucket can be used on this machine. Undefined if a bucket can be used. Does not load the S3 client. */
export function missingClientProblem(programFolder: string): string | undefined {
  if (resolveClient(programFolder) !== undefined) return undefined;
  return `needs the package ${clientPackage}. Install it in the program's folder: npm install ${clientPackage}`;
}

/**
 * The objects under one prefix of a bucket. Their keys are relative to the prefix. Uses the vendor's client, which is
 * loaded at the first call and finds the credentials by itself.
 */
export class Bucket {
  private readonly root: string;

  constructor(
    private readonly location: BucketLocation,
    private readonly options: BucketOptions,
  ) {
    this.root = location.prefix === "" ? "" : `${location.prefix}/`;
  }

  private readonly load = once((): Client => {
    const { programFolder } = this.options;
    const path = resolveClient(programFolder);
    if (path === undefined) throw new InputError(`a bucket ${missingClientProblem(programFolder) ?? ""}`);
    const s3 = createRequire(__filename)(path) as typeof S3;
    return { s3, client: newClient(s3, this.location, this.options) };
  });

  /** Stores an object. `sha256`: the hash of the content in hexadecimal. The server verifies the hash and stores it. */
  async put(key: string, content: string | Buffer, contentType: string, sha256?: string): Promise<void> {
    const request = { ...this.at(key), Body: content, ContentType: contentType };
    const checksum = sha256 !== undefined && { ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64") };
    await withoutChecksum(checksum, (more) =>
      this.call(({ s3, client }, signal) => client.send(new s3.PutObjectCommand({ ...request, ...more }), signal)),
    );
  }

  get(key: string, mostBytes: number, signal?: AbortSignal): Promise<Buffer | undefined> {
    return this.content(key, mostBytes, signal).catch(undefinedIf("NoSuchKey"));
  }

  /** The size of an object, and its SHA-256 in hexadecimal if the server has one. Undefined if it is missing. */
  async look(key: string): Promise<{ bytes: number; sha256?: string } | undefined> {
    const head = await withoutChecksum({ ChecksumMode: "ENABLED" as const }, (more) =>
      this.call(({ s3, client }, signal) =>
        client.send(new s3.HeadObjectCommand({ ...this.at(key), ...more }), signal),
      ),
    ).catch(undefinedIf("NotFound"));
    const checksum = head?.ChecksumSHA256;
    const sha256 = checksum !== undefined && { sha256: Buffer.from(checksum, "base64").toString("hex") };
    return head && { bytes: head.ContentLength ?? 0, ...sha256 };
  }

  async remove(key: string): Promise<void> {
    await this.call(({ s3, client }, signal) => client.send(new s3.DeleteObjectCommand(this.at(key)), signal));
  }

  /** Lists the keys that begin with `start` and that `isWanted` accepts. Rejects if there are more than `most`. */
  keys(start: string, isWanted: (key: string) => boolean, most: number, signal?: AbortSignal): Promise<string[]> {
    return this.call(async ({ s3, client }, { abortSignal }) => {
      const keys: string[] = [];
      const request = { Bucket: this.location.bucket, Prefix: this.root + start, Delimiter: "/" };
      for await (const page of s3.paginateListObjectsV2({ client }, request, { abortSignal })) {
        const ofPage = (page.Contents ?? []).flatMap(({ Key }) => Key?.slice(this.root.length) ?? []);
        keys.push(...ofPage.filter(isWanted));
        if (keys.length > most) throw new CloudVoiceError(`there are more than ${most} objects`);
      }
      return keys;
    }, signal);
  }

  /**
   * Rejects if objects certainly can't be stored: the bucket does not exist, credentials are missing or refused, or
   * there is no connection. Accepts credentials that can write but not read.
   */
  async assertUsable(): Promise<void> {
    // Use GET, because the response to HEAD has no body that states the reason.
    await this.content(".cloudvoice", 64 * 1024).catch((error: unknown) => {
      const { code } = describeThrown(error);
      if (code !== "NoSuchKey" && code !== "AccessDenied") throw error;
    });
  }

  /** The time limit of a whole call. The client's own limits cover one attempt, and not a slow body. */
  deadline(): AbortSignal {
    const { requestTimeoutMs, maxRetries } = this.options;
    return AbortSignal.timeout(Math.ceil(requestTimeoutMs) * (maxRetries + 1));
  }

  private at(key: string) {
    return { Bucket: this.location.bucket, Key: this.root + key };
  }

  private content(key: string, mostBytes: number, signal?: AbortSignal): Promise<Buffer> {
    return this.call(async ({ s3, client }, { abortSignal }) => {
      const { Body } = await client.send(new s3.GetObjectCommand(this.at(key)), { abortSignal });
      const chunks: Buffer[] = [];
      let room = mostBytes;
      for await (const chunk of addAbortSignal(abortSignal, Body as Readable)) {
        room -= (chunk as Buffer).length;
        if (room < 0) throw new CloudVoiceError(`an object has more than ${mostBytes} bytes`);
        chunks.push(chunk as Buffer);
      }
      return Buffer.concat(chunks);
    }, signal);
  }

  private async call<T>(
    work: (loaded: Client, signal: { abortSignal: AbortSignal }) => Promise<T>,
    abortSignal = this.deadline(),
  ): Promise<T> {
    try {
      return await work(this.load(), { abortSignal });
    } catch (error) {
      throw bucketError(error);
    }
  }
}

interface Client {
  s3: typeof S3;
  client: S3.S3Client;
}

function newClient(
  s3: typeof S3,
  { bucket: _, prefix: _prefix, ...server }: BucketLocation,
  { requestTimeoutMs, maxRetries }: BucketOptions,
) {
  return new s3.S3Client({
    // The signature needs the name of a region, which the servers of other vendors do not have.
    ...(server.endpoint !== undefined && !process.env.AWS_REGION && { region: "us-east-1" }),
    ...server,
    followRegionRedirects: true,
    // Workaround: by default, the client sends newer kinds of checksums, which only Amazon's servers know.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: maxRetries + 1,
    requestHandler: {
      connectionTimeout: Math.min(requestTimeoutMs, 10_000),
      // Workaround: by default, the client only logs a warning when `requestTimeout` has passed.
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
}

/**
 * Sends a request with a checksum, and without it if the server refuses. Workaround: servers of other vendors than
 * Amazon may refuse requests with a checksum.
 */
async function withoutChecksum<More, T>(checksum: More, send: (more: More | undefined) => Promise<T>): Promise<T> {
  return send(checksum).catch((error: unknown) => {
    if (!checksum || !CloudVoiceError.is(error) || ![400, 501].includes(error.status ?? 0)) throw error;
    return send(undefined);
  });
}

/**
 * Returns a handler for `catch`. It returns undefined for an error with one of these codes, and throws any other error.
 */
export function undefinedIf(...codes: string[]) {
  return (error: unknown): undefined => {
    if (!codes.includes(describeThrown(error).code)) throw error;
  };
}

const refusedCredentials = ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"];

/** Translates an error of the S3 client without its texts, which may contain a secret. */
function bucketError(error: unknown): CloudVoiceError {
  if (CloudVoiceError.is(error)) return error;
  const { name, code: systemCode, message } = describeThrown(error);
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  const code = systemCode || (status === 403 && /^(Unknown|403|Forbidden)/.test(name) ? "AccessDenied" : name);
  const because = (reason: string, advice: string) => new CloudVoiceError(reason, { status, code, advice });
  if (refusedCredentials.includes(code)) return because("the object store refused the credentials", setCredentials);
  if (name === "CredentialsProviderError")
    return because("there are no credentials for the object store", setCredentials);
  if (code === "NoSuchBucket") return because("the bucket does not exist", createBucket);
  if (code === "AccessDenied") return because("the bucket refused access", setPolicy);
  if (message.startsWith("Region is missing"))
    return new CloudVoiceError("the region of the bucket is not known", { advice: "Add ?region=… to the URL." });
  return because("the object store could not be used", checkAll);
}

const checkAll = "Check the URL, the credentials and the network.";
const setCredentials = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile, as for Pulumi's state in S3.";
const createBucket = "Create the bucket, or correct its name in the URL.";
const setPolicy = "Allow s3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket under the prefix.";
