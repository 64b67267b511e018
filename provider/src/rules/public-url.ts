/** Stands for the query of a URL that may hold a signature or a key. */
export const hiddenQuery = "?[signed]";

const secretName = /sign|sig$|token|secret|key|auth|credential|password|policy|expires|session|jwt|^se$/i;

/** A text without what its URLs would give to a reader: signatures, keys, user names and passwords. */
export function withoutSignatures(text: string): string {
  return text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`]+/gi, (address) => {
    if (!URL.canParse(address)) return address.replace(/\/\/\S*@/, "//…@").replace(/[?#].*/, hiddenQuery);
    const { username, password, searchParams, hash } = new URL(address);
    const shown = username || password ? address.replace(/\/\/[^/]*@/, "//…@") : address;
    const isSecret = [...searchParams.keys()].some((name) => secretName.test(name)) || secretName.test(hash);
    return isSecret ? shown.replace(/[?#].*/, hiddenQuery) : shown;
  });
}

export function isThisMachine(url: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
