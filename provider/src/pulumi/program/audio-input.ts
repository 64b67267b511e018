import * as pulumi from "@pulumi/pulumi";
import { portable } from "./portable-path";

type Audio = string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset;

/**
 * The audio as text: a path or URL. Assets are turned into theirs here, because the engine reads and downloads assets before any
 * check; absolute paths become relative to the program's folder, so that the state fits every machine.
 */
export function audioInput(audio: pulumi.Input<Audio>): pulumi.Output<string> {
  return pulumi.output(audio).apply(async (known: unknown) => {
    if (typeof known !== "object" || known === null) return audioText(known);
    const { path, uri } = known as { path?: Promise<string>; uri?: Promise<string> };
    // Another kind of asset is for the check to refuse too.
    return audioText((await (path ?? uri)) ?? {});
  });
}

function audioText(audio: unknown): string {
  // What is no text at all is for the check to refuse.
  if (typeof audio !== "string") return audio as string;
  // Audio itself must not become an input: the check refuses the rest of it.
  return /^data:/i.test(audio) ? "data:…" : portable(audio);
}
