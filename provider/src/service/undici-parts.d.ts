declare module "undici/lib/api/index.js" {}
declare module "undici/lib/core/connect.js" {
  const buildConnector: unknown;
  export default buildConnector;
}
declare module "undici/lib/dispatcher/dispatcher.js" {
  const Dispatcher: { prototype: object };
  export default Dispatcher;
}
declare module "undici/lib/dispatcher/env-http-proxy-agent.js" {
  const EnvHttpProxyAgent: unknown;
  export default EnvHttpProxyAgent;
}
