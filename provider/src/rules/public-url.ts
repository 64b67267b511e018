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

/**
 * The parameters that each scheme of signing adds, by the one that holds the signature. Only these are known to say
 * nothing about what lies at the address: another `token` may be that of another recording.
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
  // Signatures of Azure have a version beside them.
  [/^sig$/i, /^(sv|ss|srt|sr|st|se|sp|spr|sip|sig|skoid|sktid|skt|ske|sks|skv|saoid|suoid|scid|sdd)$/],
  // The older ones of Amazon, Google and Alibaba, and that of CloudFront.
  [
    /^signature$/i,
    /^(signature|expires|awsaccesskeyid|googleaccessid|ossaccesskeyid|security-token|x-amz-security-token|policy|key-pair-id)$/i,
  ],
];

/** A URL without the parameters of its signature, which another run may change: the same address has the same name. */
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

export function isThisMachine(url: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
