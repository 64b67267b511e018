import type { Emulator } from "../../provider/src/emulator";
import type * as decisions from "../../provider/src/pulumi/provider/decision/lifecycle";
import type * as images from "../../provider/src/pulumi/provider/image/lifecycle";
import type * as processes from "../../provider/src/pulumi/provider/operation";
import type * as voices from "../../provider/src/pulumi/provider/voice/lifecycle";

const sdk: unknown = jest.requireActual("@pulumi/pulumi");
const place = "../../provider/src/pulumi";

/** The life cycles in a provider's process that has just begun. */
export function newProcess({ url, apiKey }: Pick<Emulator, "url" | "apiKey">) {
  jest.resetModules();
  // Loading the SDK takes about a second. It holds nothing that these life cycles keep, so all processes share one copy.
  jest.doMock("@pulumi/pulumi", () => sdk);
  const config: Record<string, string> = {
    "cloudvoice:baseUrl": url,
    "cloudvoice:apiKey": apiKey,
    "cloudvoice:imagePollSeconds": "0.01",
    "cloudvoice:maxRetries": "0",
  };
  jest.requireActual<typeof processes>(`${place}/provider/operation`).configure((key) => config[key]);
  return {
    voice: jest.requireActual<typeof voices>(`${place}/provider/voice/lifecycle`).voiceLifecycle,
    image: jest.requireActual<typeof images>(`${place}/provider/image/lifecycle`).imageLifecycle,
    decision: jest.requireActual<typeof decisions>(`${place}/provider/decision/lifecycle`).decisionLifecycle,
  };
}
