import * as pulumi from "@pulumi/pulumi";
import { audioPlace } from "../../rules/audio";

type Audio = string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset;

/**
 * The audio as a path or URL. Workaround: assets are converted here, because the engine reads and downloads them before
 * any check. `pathOf` gives a path in its registered form.
 */
export function audioInput(audio: pulumi.Input<Audio>, pathOf = (path: string) => path): pulumi.Input<string> {
  // No output for a text: a thousand outputs take time.
  if (typeof audio === "string") return audioText(audio, pathOf);
  return pulumi.output(audio).apply(async (resolvedAudio: unknown) => {
    if (typeof resolvedAudio !== "object" || resolvedAudio === null) return audioText(resolvedAudio, pathOf);
    const { path, uri } = resolvedAudio as { path?: Promise<string>; uri?: Promise<string> };
    // `check` refuses other kinds of assets.
    return audioText((await (path ?? uri)) ?? {}, pathOf);
  });
}

function audioText(audio: unknown, pathOf: (path: string) => string): string {
  // `check` refuses a value that is not a text.
  if (typeof audio !== "string") return audio as string;
  // The data of a data URL, which `check` refuses, must not become an input: the state contains the inputs.
  if (/^data:/i.test(audio)) return "data:…";
  return "path" in audioPlace(audio) ? pathOf(audio) : audio;
}
