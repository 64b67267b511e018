import type { VoiceHolder } from "../../../provider/src/voices/holder";
import { sharedByState } from "../../../provider/src/voices/judge/keep";
import { entry, me, ren, voice } from "../../support/holders";

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
});
