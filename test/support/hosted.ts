import { type HostedBackend, startHostedBackend } from "../../tools/hosted-backend";

const backends: HostedBackend[] = [];
afterEach(async () => {
  await Promise.all(backends.splice(0).map((backend) => backend.close()));
});

/** Starts a stand-in for Pulumi's hosted backend, which is closed after the test. Its `env` logs a command line in. */
export async function hosted(): Promise<HostedBackend> {
  const backend = await startHostedBackend();
  backends.push(backend);
  return backend;
}
