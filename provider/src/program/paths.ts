import * as pulumi from "@pulumi/pulumi";
import { audioPlace } from "../rules/audio";

type Audio = string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset;

/**
 * The input `audio` as a path or URL. Workaround: an asset is converted to its path or URL, because the engine reads or
 * downloads an asset before `check`. `pathOf`: returns a path in the form that is registered.
 */
export function audioInput(audio: pulumi.Input<Audio>, pathOf = (path: string) => path): pulumi.Input<string> {
  // A text does not become an output, because a thousand outputs take time.
  if (typeof audio === "string") return audioText(audio, pathOf);
  return pulumi.output(audio).apply(async (resolvedAudio: unknown) => {
    if (typeof resolvedAudio !== "object" || resolvedAudio === null) return audioText(resolvedAudio, pathOf);
    const { path, uri } = resolvedAudio as { path?: Promise<string>; uri?: Promise<string> };
    // Other kinds of assets have neither a path nor a URL. They become `{}`, which `check` refuses.
    return audioText((await (path ?? uri)) ?? {}, pathOf);
  });
}

function audioText(audio: unknown, pathOf: (path: string) => string): string {
  // `check` refuses a value that is not a text.
  if (typeof audio !== "string") return audio as string;
  // `check` refuses a data URL. Remove the data before `check` runs, so that the data does not become an input: the
  // engine saves inputs in the state.
  if (/^data:/i.test(audio)) return "data:…";
  return "path" in audioPlace(audio) ? pathOf(audio) : audio;
}
