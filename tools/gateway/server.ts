import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join, relative } from "node:path";
import { freePort } from "../free-port";
import { getGoTool } from "../go-tools";

/** A real S3 server, with its buckets in a folder. */
export interface Gateway {
  /** The URL of a place in a bucket, with the parameters that this server needs. */
  url(place: string): string;
  /** The environment of S3 clients. */
  credentials: Record<string, string>;
  createBucket(name: string): void;
  /** The keys of all objects in a bucket, sorted. */
  keys(bucket: string): string[];
  /** Removes an object outside Pulumi. */
  remove(bucket: string, key: string): void;
  /** The same buckets on a server that refuses all changes. */
  readOnly(): Promise<Gateway>;
  stop(): Promise<void>;
}

export async function startGateway(folder: string, options: string[] = []): Promise<Gateway> {
  const keys = { id: "gateway-user", secret: "gateway-canary-secret" };
  const others: Gateway[] = [];
  const port = await freePort();
  const child = spawn(getGoTool("gateway"), ["--port", `127.0.0.1:${port}`, "--quiet", ...options, "posix", folder], {
    env: { ...process.env, ROOT_ACCESS_KEY: keys.id, ROOT_SECRET_KEY: keys.secret },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  while (!(await accepts(port))) if (child.exitCode !== null) throw new Error(`The S3 server did not start: ${errors}`);

  const parameters = `region=us-east-1&endpoint=http://127.0.0.1:${port}&s3ForcePathStyle=true&disableSSL=true`;
  return {
    url: (place) => `s3://${place}?${parameters}`,
    credentials: {
      AWS_ACCESS_KEY_ID: keys.id,
      AWS_SECRET_ACCESS_KEY: keys.secret,
      // Keeps out credentials of the developer and the machine.
      AWS_CONFIG_FILE: join(folder, "no-config"),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, "no-credentials"),
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    },
    createBucket: (name) => mkdirSync(join(folder, name)),
    keys: (bucket) => filesIn(join(folder, bucket)).sort(),
    remove: (bucket, key) => rmSync(join(folder, bucket, key)),
    readOnly: async () => {
      const other = await startGateway(folder, ["--readonly"]);
      others.push(other);
      return other;
    },
    stop: async () => {
      child.kill();
      await Promise.all([closed, ...others.map((other) => other.stop())]);
    },
  };
}

/** The server keeps each object in a file of its name. Its own files are in hidden folders. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith(".sgwtmp"));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => setTimeout(() => resolve(false), 20));
  });
}
