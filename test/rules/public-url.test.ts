import { isThisMachine, withoutSignature, withoutSignatures } from "../../provider/src/rules/public-url";

test.each([
  ["https://a.example/a.wav?auth_key=x and more", "https://a.example/a.wav?[signed] and more"],
  ["https://user:word@a.example/a.wav", "https://…@a.example/a.wav"],
  ["mongodb://user:word@h1:27017,h2:27017/db", "mongodb://…@h1:27017,h2:27017/db"],
  ["https://me@corp.example:word@a.example/", "https://…@a.example/"],
  ["x://a.example/a.wav?sig=x", "x://a.example/a.wav?[signed]"],
  ['{"url":"https://a.example/?Signature=x"}', '{"url":"https://a.example/?[signed]"}'],
  ["https://[broken?sig=x", "https://[broken?[signed]"],
  ["https://a.example/a.wav?v=2&code=x", "https://a.example/a.wav?[signed]"],
  ["https://a.example/a.wav?to=me@corp.example", "https://a.example/a.wav?[signed]"],
  ["https://a.example/a.wav;jsessionid=x", "https://a.example/a.wav;…"],
  ["https://a.example/a.wav;jsessionid=x?v=2", "https://a.example/a.wav;…?v=2"],
  ["https://a.example/a.wav#eyJhbGciOiJ9.e30", "https://a.example/a.wav?[signed]"],
  ["https://user:word@[broken#x", "https://…@[broken?[signed]"],
  ["https://[a/b@broken", "https://…@broken"],
  ["https://a.example/https://user:word@b.example", "https://a.example/https://user:word@b.example"],
])("the text %j is shown as %j, without signatures and credentials", (text, shown) => {
  expect(withoutSignatures(text)).toBe(shown);
});

test.each([
  "audio/narrator.wav",
  "narrator.wav?sig=x",
  "https://a.example/a.wav?v=2",
  "https://a.example/a.wav#t=2",
  "https://a.example/docs/page/#a-chapter",
  "s3://bucket/prefix?region=eu-central-1",
])("the text %j has nothing to hide", (text) => {
  expect(withoutSignatures(text)).toBe(text);
});

test.each([
  [
    "X-Amz-Algorithm=A&X-Amz-Credential=k&X-Amz-Date=1&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=ab",
    "",
  ],
  ["versionId=7&X-Amz-Date=1&X-Amz-Signature=ab", "?versionId=7"],
  ["X-Goog-Algorithm=A&X-Goog-Date=1&X-Goog-Signature=ab&generation=3", "?generation=3"],
  ["x-oss-signature-version=OSS4&x-oss-date=1&x-oss-signature=ab&x-oss-process=trim", "?x-oss-process=trim"],
  ["q-sign-algorithm=sha1&q-ak=k&q-sign-time=1;2&q-signature=ab", ""],
  ["sv=2024-11-04&sr=b&se=2027&sp=r&sig=ab&versionid=1", "?versionid=1"],
  ["AWSAccessKeyId=k&Expires=1&Signature=ab", ""],
  ["Expires=1&OSSAccessKeyId=k&Signature=ab", ""],
  ["Policy=p&Signature=s&Key-Pair-Id=k", ""],
])("of the URL with %s, the signature is left out", (query, rest) => {
  expect(withoutSignature(`https://a.example/a.wav?${query}`)).toBe(`https://a.example/a.wav${rest}`);
});

test.each(["?token=a", "?sig=a", "?v=2&se=3", "?id=7#X-Amz-Signature=a&X-Amz-Date=1", "?a=1&X-Amz-Signature=a"])(
  "of a URL that ends in %j, nothing is left out: another value may mean another recording",
  (end) => {
    expect(withoutSignature(`https://a.example/a.wav${end}`)).toBe(`https://a.example/a.wav${end}`);
  },
);

test.each(["audio/a.wav?X-Amz-Date=1&X-Amz-Signature=a", "https://[broken?X-Amz-Date=1&X-Amz-Signature=a"])(
  "of %j, which is no URL, nothing is left out",
  (text) => {
    expect(withoutSignature(text)).toBe(text);
  },
);

test("of an address by http, the signature is left out too, and of one of another kind it is not", () => {
  const signed = "a.example/a.wav?X-Amz-Date=1&X-Amz-Signature=a";
  expect(withoutSignature(`http://${signed}`)).toBe("http://a.example/a.wav");
  for (const scheme of ["ftp", "xhttps"])
    expect(withoutSignature(`${scheme}://${signed}`)).toBe(`${scheme}://${signed}`);
});

test.each([
  ["http://localhost:9", true],
  ["http://a.localhost", true],
  ["http://127.0.0.12", true],
  ["http://[::1]:9", true],
  ["http://mylocalhost", false],
  ["http://x127.0.0.1.example", false],
  ["http://127.0.0.1.example", false],
  ["http://localhost.example", false],
  ["edited by hand", false],
])("%s is of this machine: %s", (url, isHere) => {
  expect(isThisMachine(url)).toBe(isHere);
});
