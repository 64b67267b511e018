/** Replaces the query of a URL that may have a signature or a key. */
export const hiddenQuery = "?[signed]";

/** Parameters that select a version or part of a file. Any other parameter may be a secret, whatever its name. */
const harmlessNames = new Set([
  ...["v", "ver", "version", "versionid", "rev", "revision", "generation", "t", "page", "lang", "language"],
  ...["size", "width", "height", "w", "h", "q", "quality", "format", "x-oss-process"],
  ...["region", "endpoint", "profile", "s3forcepathstyle", "disablessl"],
]);
const isHarmless = (parameters: URLSearchParams) =>
  [...parameters.keys()].every((name) => harmlessNames.has(name.toLowerCase()));

/** Removes secrets from URLs in a text: signatures, keys, user names and passwords. */
export function withoutSignatures(text: string): string {
  // The bound keeps the search linear in a long word.
  return text.replace(/[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>`]+/gi, (address) => {
    const shown = address.replace(/^([^/]*\/\/)[^/?#]*@/, "$1…@");
    if (!URL.canParse(address)) return shown.replace(/^([^/]*\/\/)\S*@/, "$1…@").replace(/[?#].*/, hiddenQuery);
    const { searchParams, hash } = new URL(address);
    const place = hash.slice(1);
    const isPlace = /^[a-z-]*$/i.test(place) || isHarmless(new URLSearchParams(place));
    const path = shown.replace(/[?#].*/, "");
    const end = isHarmless(searchParams) && isPlace ? shown.slice(path.length) : hiddenQuery;
    // Some servers put a session id into the path.
    return path.replace(/;.*/, ";…") + end;
  });
}

/**
 * The signing schemes: the parameter with the signature, and all parameters that the scheme adds. Only these certainly
 * do not select the file. Any other parameter may, e.g. a `token` of an unknown scheme.
 */
const signings: readonly [signature: RegExp, parameters: RegExp][] = [
  [/^x-amz-signature$/i, /^x-amz-(algorithm|credential|date|expires|signedheaders|signature|security-token)$/i],
  [/^x-goog-signature$/i, /^x-goog-(algorithm|credential|date|expires|signedheaders|signature)$/i],
  [/^x-tos-signature$/i, /^x-tos-(algorithm|credential|date|expires|signedheaders|signature|security-token)$/i],
  [/^x-oss-signature$/i, /^x-oss-(signature(-version)?|credential|date|expires|security-token|additional-headers)$/i],
  [
    /^q-signature$/i,
    /^(q-(sign-algorithm|ak|sign-time|key-time|header-list|url-param-list|signature)|x-cos-security-token)$/i,
  ],
  // Azure's signatures come with a version.
  [/^sig$/i, /^(sv|ss|srt|sr|st|se|sp|spr|sip|sig|skoid|sktid|skt|ske|sks|skv|saoid|suoid|scid|sdd)$/],
  // The older schemes of Amazon, Google and Alibaba, and CloudFront's.
  [
    /^signature$/i,
    /^(signature|expires|awsaccesskeyid|googleaccessid|ossaccesskeyid|security-token|x-amz-security-token|policy|key-pair-id)$/i,
  ],
];

/** A URL without the parameters of its signature: a signature may differ in each run. */
export function withoutSignature(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  const names = [...parsed.searchParams.keys()];
  const scheme = signings.find(
    ([signature, parameters]) =>
      names.some((name) => signature.test(name)) && names.filter((name) => parameters.test(name)).length > 1,
  );
  if (scheme === undefined) return url;
  for (const name of names) if (scheme[1].test(name)) parsed.searchParams.delete(name);
  return parsed.href;
}

/** False for a text that is no address. */
export function isThisMachine(url: string): boolean {
  return URL.canParse(url) && /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
