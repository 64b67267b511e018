import { extensionOf, isRecordingName, isSoundName, pictures } from "../../provider/src/rules/file-formats";

test.each([
  ["audio/narrator.wav", true, true],
  ["audio/NARRATOR.M4A", true, true],
  ["narrator.flac", false, true],
  ["narrator.wav.txt", false, false],
  ["wav", false, false],
])("%s: a recording for a review %j, for a check %j", (path, isAccepted, isSound) => {
  expect([isRecordingName(path), isSoundName(path)]).toEqual([isAccepted, isSound]);
});

test("each picture has the extension of its own media type, and anything else is .bin", () => {
  for (const [extension, format] of Object.entries(pictures)) expect(extensionOf(format?.mediaType)).toBe(extension);
  expect([extensionOf("application/octet-stream"), extensionOf(undefined)]).toEqual(["bin", "bin"]);
});
