import { providerText } from "../../provider/src/dynamic/provider-text";

/**
 * This text stands in every state file there is. Old states are read, refreshed and deleted by evaluating the text that they hold,
 * so neither the text nor what it names may change: a voice whose text no longer loads can't even be deleted.
 */
test.each(["cloudVoice", "generatedImage", "decision"] as const)(
  "the provider text of %s is what it always was",
  (exported) => {
    expect(providerText(exported)).toBe(
      `exports.handler=()=>{try{return require("pulumi-cloudvoice/provider").${exported}}` +
        "catch(e){e.stack='Run `npm install`';throw e}}",
    );
  },
);
