import { withoutSignatures } from "../../provider/src/rules/public-url";

test.each([
  ["https://a.example/a.wav?sv=1&sig=x", "https://a.example/a.wav?[signed]"],
  ["https://a.example/a.wav?auth_key=x and more", "https://a.example/a.wav?[signed] and more"],
  ["https://a.example/a.wav#access_token=x", "https://a.example/a.wav?[signed]"],
  ["https://user:word@a.example/a.wav", "https://…@a.example/a.wav"],
  ["https://user@a.example/a.wav", "https://…@a.example/a.wav"],
  ["https://:word@a.example/a.wav", "https://…@a.example/a.wav"],
  ["mongodb://user:word@h1:27017,h2:27017/db", "mongodb://…@h1:27017,h2:27017/db"],
  ["https://me@corp.example:word@a.example/", "https://…@a.example/"],
  ["https://user:word@a.example/a.wav?token=x", "https://…@a.example/a.wav?[signed]"],
  ["s3://user:word@bucket/a.wav", "s3://…@bucket/a.wav"],
  ["x://a.example/a.wav?sig=x", "x://a.example/a.wav?[signed]"],
  ['{"url":"https://a.example/?Signature=x"}', '{"url":"https://a.example/?[signed]"}'],
  ["https://[broken?sig=x", "https://[broken?[signed]"],
  ["https://user:word@[broken#x", "https://…@[broken?[signed]"],
])("the text %j is shown as %j, without signatures and credentials", (text, shown) => {
  expect(withoutSignatures(text)).toBe(shown);
});

test.each([
  "audio/narrator.wav",
  "narrator.wav?sig=x",
  "https://a.example/a.wav?v=2",
  "https://a.example/a.wav#t=2",
  "https://a.example?to=me@corp.example",
])("the text %j has nothing to hide", (text) => {
  expect(withoutSignatures(text)).toBe(text);
});
