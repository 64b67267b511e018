import * as pulumi from "@pulumi/pulumi";
import { audioPlace } from "../../rules/audio";
import { markPath } from "../shared/declared-path";
import { relativeToProgram } from "../shared/program-path";

type Audio = string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset;

/**
 * The audio as a path or URL. An asset is converted here, because the engine reads and downloads assets before any
 * check. An absolute path becomes relative to the program's folder, so that the state fits every machine.
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
  const path = relativeToProgram(audio);
  // With mocks there is no `check` that removes the mark.
  return pulumi.runtime.hasEngine() ? markPath(path) : path;
}

/** A folder or a bucket. */
export function folderInput(folder: pulumi.Input<string>): pulumi.Output<string> {
  // `check` refuses a value that is not a text.
  return pulumi
    .output(folder)
    .apply((known: unknown) => (typeof known === "string" ? relativeToProgram(known) : (known as string)));
}
