import * as pulumi from "@pulumi/pulumi";
import { settingsSchema } from "../rules/settings";
import { ignoredInputs, type InputsCheck } from "../rules/catalog";
import { voiceProblems } from "../service/voices/entry-check";
import { providerOf } from "./identity";
import { audioInput } from "./definitions";
import { hasOutput, isInlineProgram } from "./sdk";
import { findInProgram } from "./settings";

/**
 * Checks what the program knows of the inputs of a catalog's voices, as the provider does later. Skips outputs and
 * promises, ignored changes, and whatever depends on a fact that only the provider knows.
 */
export function checkInProgram(opts: pulumi.ComponentResourceOptions = {}): InputsCheck {
  const ignored = ignoredInputs(opts.ignoreChanges);
  const skipped = new Set([
    ...ignored,
    // An explicit provider may have settings of its own.
    ...(providerOf(opts) === undefined ? [] : ["targetModel"]),
    // The provider of an inline program runs in another folder, with another environment.
    ...(isInlineProgram() ? ["targetModel", "audio"] : []),
  ]);
  const { extraTargetModels: schema } = settingsSchema.shape;
  const extraTargetModels = schema.parse(findInProgram("extraTargetModels")?.value);
  return (inputs, elsewhere) => {
    const entries = Object.entries(inputs).filter(([, value]) => (value ?? undefined) !== undefined);
    const values = Object.fromEntries(entries.filter(([, value]) => !isLater(value)));
    if (typeof values.audio === "string") values.audio = audioInput(values.audio);
    const later = entries.filter(([, value]) => isLater(value)).map(([name]) => name);
    return voiceProblems({ values, unknown: new Set([...later, ...elsewhere, ...skipped]), extraTargetModels });
  };
}

const isLater = (value: unknown) => hasOutput(value) || pulumi.asset.Asset.isInstance(value);
