import type { buildConnector as BuildConnector, Dispatcher, EnvHttpProxyAgent as ProxyAgent } from "undici";
import * as methods from "undici/lib/api/index.js";
import buildConnectorOfUndici from "undici/lib/core/connect.js";
import DispatcherOfUndici from "undici/lib/dispatcher/dispatcher.js";
import EnvHttpProxyAgentOfUndici from "undici/lib/dispatcher/env-http-proxy-agent.js";

/*
 * The parts of undici that send requests. The index of undici also loads `fetch`, and with it the `fetch` of Node.js,
 * which triples the time. The build bundles these parts, so an update of undici can't move them away.
 */

// The index of undici does this too.
Object.assign(DispatcherOfUndici.prototype, methods);

export const EnvHttpProxyAgent = EnvHttpProxyAgentOfUndici as typeof ProxyAgent;
export const buildConnector = buildConnectorOfUndici as typeof BuildConnector;

export function sendRequest(
  dispatcher: Dispatcher,
  url: string,
  options: Omit<Dispatcher.RequestOptions, "origin" | "path">,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ ...options, origin, path: pathname + search });
}
