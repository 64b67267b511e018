import { billedAtMost, BilledLimit } from "../../provider/src/rules/billed-limit";

const limit = (given?: string) => new BilledLimit(given === undefined ? {} : { CLOUDVOICE_MAX_BILLED: given });
/** How many of ten requests of each kind are allowed. */
const allowed = (given?: string) => {
  const billed = limit(given);
  return (["voices", "images", "decisions"] as const).map((kind) => {
    for (let sent = 0; sent < 10; sent++)
      try {
        billed.count(kind);
      } catch {
        return sent;
      }
    return 10;
  });
};

test.each<[given: string | undefined, most: number[]]>([
  [undefined, [10, 10, 10]],
  ["  ", [10, 10, 10]],
  ["voices=2", [2, 10, 10]],
  [" voices=2 , images=0,\tdecisions=3 ", [2, 0, 3]],
  ["decisions=123456789", [10, 10, 10]],
])("CLOUDVOICE_MAX_BILLED=%j allows %j requests for voices, images and decisions", (given, most) => {
  expect(allowed(given)).toEqual(most);
});

test("the limit that a review sets allows as many requests of each kind", () => {
  const { CLOUDVOICE_MAX_BILLED: most } = billedAtMost({ voices: 4, imageTasks: 0, decisions: 3 });
  expect(allowed(most)).toEqual([4, 0, 3]);
});

test("the request over the limit is refused with what is to be done", () => {
  expect(() => limit("images=0").count("images")).toThrow(
    /^Nothing was sent: CLOUDVOICE_MAX_BILLED allows 0 images in one run, and .* Review it again\. If it is right, raise the number/,
  );
});

test.each([
  ...[
    "voices=-1",
    "voices",
    "voices=1.5",
    "voices=1e3",
    "voice=1",
    "voices=1,voices=2",
    "12",
    "voices=1;images=2",
    ",",
  ],
  ...["voices=", "=1", "voices =1", "voices=1234567890", "x voices=1", "voices=1 x", "voices=1,", "voices=1,voice=1"],
])("the limit %j is an error that says what is right", (given) => {
  expect(() => limit(given)).toThrow(
    /^CLOUDVOICE_MAX_BILLED is ".*", so nothing is sent\. .* as voices=12,images=3,decisions=5/,
  );
});
