import { InputError } from "../errors";

/** The environment variables from which undici reads the proxy, by the scheme of the requested URL. */
const variablesOf = { "http:": ["http_proxy", "HTTP_PROXY"], "https:": ["https_proxy", "HTTPS_PROXY"] };

/** The error does not contain the variable's value, which may include a password. */
export function assertProxies(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.values(variablesOf).flat()) {
    const value = environment[name];
    if (value && !isProxy(value))
      throw new InputError(
        `${name} is not the address of a proxy, for example http://proxy.example:3128. (The value is not shown, because it ` +
          "may contain a password.) In a user name or password, write %25 instead of %.",
      );
  }
}

/** Whether undici accepts the URL: it decodes user name and password, and fails at a single %. */
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
  return `The proxy in ${name} may be down, or require authentication (HTTP 407). To bypass it, add the host to NO_PROXY.`;
}
