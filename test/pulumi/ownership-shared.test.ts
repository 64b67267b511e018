import { heldElsewhere, sharedByState, skippedDelete } from "../../provider/src/pulumi/provider/voice/ownership";
import type { VoiceHolder } from "../../provider/src/rules/voice-holder";
import { entry, me, ren, voice } from "../support/holders";

describe("a voice that the saved states show at several resources", () => {
  test.each<[what: string, holders: VoiceHolder[], isError: boolean]>([
    ["is an error", [entry(me), entry(ren)], true],
    ["is an error across stacks", [entry(me), entry(me, { stack: "prod" })], true],
    ["is right beside a resource that leaves it when it goes", [entry(me), entry(ren, { retained: true })], false],
    ["is right at one resource", [entry(me)], false],
  ])("%s", (_, holders, isError) => {
    expect(sharedByState(voice, holders) !== undefined).toBe(isError);
  });

  test("and the error names the voice, each holder and the command that helps", () => {
    expect(sharedByState(voice, [entry(me), entry(ren, { stack: "prod" })])).toMatch(
      /voice svc-tts-vc-n_1234567\S+: old of the stack dev and ren of the stack prod\. Run `pulumi up` .* on each of these stacks: /,
    );
    expect(sharedByState(voice, [entry(me), entry(ren)])).toMatch(/Run `pulumi up` without --refresh: /);
  });

  test("can't be adopted, and the error says which resource has it and how to move it", () => {
    expect(heldElsewhere(voice, entry(ren))).toMatch(/^ren of the stack dev holds the voice svc-tts.*retainOnDelete/);
  });
});

test("a warning names a voice whose resource goes together with another (`deletedWith`)", () => {
  const dependent = entry(ren, { deletedWith: me });
  expect(skippedDelete(voice, [dependent])).toMatch(/when old is deleted.*ren of the stack dev \(deletedWith\).*stays/);
  expect(skippedDelete(voice, [entry(ren)])).toBeUndefined();
});
