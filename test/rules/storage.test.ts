import { isBucket, parseStorage } from "../../provider/src/rules/storage";

test.each(["covers", "../covers", "C:\\covers", "covers:old", "copies/s3://pictures", "/abs", "~"])(
  "%j is a folder",
  (written) => {
    expect(parseStorage(written)).toEqual({ folder: written });
    expect(isBucket(written)).toBe(false);
  },
);

test.each([
  ["s3://pictures", { bucket: "pictures", prefix: "" }],
  ["S3://pictures/", { bucket: "pictures", prefix: "" }],
  ["s3://my.pictures/a/b%20c/", { bucket: "my.pictures", prefix: "a/b c" }],
  ["s3://pictures//a//", { bucket: "pictures", prefix: "a" }],
  [
    "s3://pictures/a?region=eu-central-1&profile=team&awssdk=v2",
    { bucket: "pictures", prefix: "a", region: "eu-central-1", profile: "team" },
  ],
  [
    "s3://pictures?endpoint=minio:9000&disableSSL=true&s3ForcePathStyle=true",
    { bucket: "pictures", prefix: "", endpoint: "http://minio:9000/", forcePathStyle: true },
  ],
  [
    "s3://pictures?endpoint=minio:9000&disableSSL=false&s3ForcePathStyle=0",
    { bucket: "pictures", prefix: "", endpoint: "https://minio:9000/" },
  ],
  [
    "s3://pictures?endpoint=proxy/http://minio",
    { bucket: "pictures", prefix: "", endpoint: "https://proxy/http://minio" },
  ],
])("%j is a bucket", (written, bucket) => {
  expect(parseStorage(written)).toEqual({ bucket });
  expect(isBucket(written)).toBe(true);
});

test.each([
  ["gs://pictures", /starts with gs:\/\/, which is not supported; use a folder, or s3:/],
  ["azblob://pictures", /azblob:\/\/, which is not supported/],
  ["file:///tmp/covers", /starts with file:\/\/, which is not supported/],
  ["https://pictures.s3.amazonaws.com/", /starts with https:/],
  ["s3:/copies/s3://pictures", /must be a bucket/],
  ["s3:///pictures", /must be a bucket/],
  ["s3://pictures:80/a", /must be a bucket/],
  ["s3://pictures/a#b", /must be a bucket/],
  ["s3://pictures/100%", /a % that encodes nothing/],
  ["s3://key:canary@pictures", /must not contain credentials/],
  ["s3://canary@pictures", /must not contain credentials/],
  ["s3://:canary@pictures", /must not contain credentials/],
  ["s3://pictures?endpoint=http://key:canary@minio", /must not contain credentials/],
  ["s3://pictures?endpoint=http://canary@minio", /must not contain credentials/],
  ["s3://pictures?endpoint=http://:canary@minio", /must not contain credentials/],
  ["s3://pictures?endpoint=ftp://minio/http://minio", /an endpoint that is not an http\(s\) address/],
  ["s3://pictures?secretKey=canary", /has the parameter secretKey; the supported parameters are region, endpoint/],
  ["s3://pictures?region=a&region=b", /the parameter region more than once/],
  ["s3://pictures?s3ForcePathStyle=canary", /a s3ForcePathStyle that is not true or false/],
  ["s3://pictures?disableSSL=canary", /a disableSSL that is not true or false/],
])("%j is refused, and the reason repeats no secret", (written, reason) => {
  const storage = parseStorage(written);
  expect(storage).toEqual({ problem: expect.stringMatching(reason) as string });
  expect(JSON.stringify(storage)).not.toContain("canary");
  expect(isBucket(written)).toBe(false);
});
