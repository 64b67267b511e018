import { InputError } from "../errors";

/** The environment variables from which undici reads the proxy, by the scheme of the requested URL. */
const variablesOf = { "http:": ["http_proxy", "HTTP_PROXY"], "https:": ["https_proxy", "HTTPS_PROXY"] };

/**
 * Throws if a proxy variable is set to anything but the URL of a proxy. The error does not contain the value, because
 * it may include a password.
 */
export function assertProxies(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.values(variablesOf).flat()) {
    const value = environment[name];
    if (value && !isProxy(value))
      throw new InputError(
        `${name} is not the address of a proxy, such as http://proxy.example:3128. Its value is not shown. In a user's name ` +
          "or password, write %25 for %.",
      );
  }
}

/**
 * Whether the value is the URL of a proxy that undici accepts: undici decodes user name and password, and fails at a
 * single %.
 */
function isProxy(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  try {
    for (const each of [username, password]) decodeURIComponent(each);
    return true;
  } catch {
    return false;
  }
}

/** The advice for a failed connection that may have used a proxy. Undefined if no proxy is set for this URL. */
export function proxyHint(url: string, environment: NodeJS.ProcessEnv): string | undefined {
  const names = new URL(url).protocol === "https:" ? variablesOf["https:"] : variablesOf["http:"];
  const name = names.find((each) => environment[each]);
  if (name === undefined) return undefined;
  return `${name} is set: the proxy that it names may be down, or ask for authentication (HTTP 407). NO_PROXY leaves hosts out.`;
}
