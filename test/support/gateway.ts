import { type Gateway, startGateway as start } from "../../tools/gateway/server";
import { temporaryFolder } from "./files";

const started: Gateway[] = [];
afterAll(() => Promise.all(started.splice(0).map((gateway) => gateway.stop())));

/** A real S3 server, with its buckets in a temporary folder. It is stopped after the tests of the file. */
export async function startGateway(): Promise<Gateway> {
  const gateway = await start(temporaryFolder());
  started.push(gateway);
  return gateway;
}

export type { Gateway };
