import { createdText, withoutCreated } from "../../provider/src/rules/set-line";

const prices = { voicePrice: 0.01, currency: "USD" };

test.each([
  [1, "1 voice is created, at most $0.01"],
  [3, "3 voices are created, at most $0.03"],
  [12, "12 voices are created, at most $0.12"],
])("%d voices of a set", (count, text) => {
  expect(createdText(count, prices)).toBe(text);
  expect(withoutCreated(`voices: ${text}`)).toBeUndefined();
  expect(withoutCreated(`cloudvoice: voices: ${text}; 2 removed`)).toBe("cloudvoice: voices: 2 removed");
});

test.each(["voices: renamed at no cost: a to b", "another note", "voices: ", "1 voice is created, at most $0.01", ""])(
  "%j stays as it is",
  (line) => {
    expect(withoutCreated(line)).toBe(line);
  },
);
