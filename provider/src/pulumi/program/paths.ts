import * as pulumi from "@pulumi/pulumi";
import { audioPlace } from "../../rules/audio";
import { markPath } from "../shared/declared-path";

type Audio = string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset;

/**
 * The audio as a path or URL. An asset is converted here, because the engine reads and downloads assets before any
 * check.
 */
export function audioInput(audio: pulumi.Input<Audio>): pulumi.Output<string> {
  return pulumi.output(audio).apply(async (known: unknown) => {
    if (typeof known !== "object" || known === null) return audioText(known);
    const { path, uri } = known as { path?: Promise<string>; uri?: Promise<string> };
    // `check` refuses other kinds of assets.
    return audioText((await (path ?? uri)) ?? {});
  });
}

function audioText(audio: unknown): string {
  // `check` refuses a value that is not a text.
  if (typeof audio !== "string") return audio as string;
  // `check` refuses a data URL; its audio must not become an input, because inputs stand in the state.
  if (/^data:/i.test(audio)) return "data:…";
  if (!("path" in audioPlace(audio))) return audio;
  // With mocks there is no `check` that removes the mark.
  return pulumi.runtime.hasEngine() ? markPath(audio) : audio;
}
