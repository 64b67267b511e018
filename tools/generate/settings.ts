import * as z from "zod";
import {
  type SettingName,
  settingNames,
  settingsSchema,
  settingTexts,
  settingTypes,
} from "../../provider/src/rules/settings";

function typeOf(name: SettingName) {
  let schema: z.core.$ZodType = settingsSchema.shape[name];
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) schema = schema.unwrap();
  return settingTypes.get(schema);
}

/** The type of a setting in the plugin's schema, where it may be more than a text. */
export const settingType = (name: SettingName) => typeOf(name)?.type ?? "string";

/** Every setting with its description and default, for the docs. */
export function settingMeanings(): [name: SettingName, meaning: { description: string; default: string }][] {
  return settingNames.map((name) => {
    const meaning = settingTexts.get(settingsSchema.shape[name]);
    if (meaning === undefined) throw new Error(`The setting ${name} is declared without a meaning.`);
    const { fallback } = meaning;
    const { least = 0 } = typeOf(name) ?? {};
    const description = least > 0 ? `${meaning.description} At least ${least}.` : meaning.description;
    const { data = "none" } = settingsSchema.shape[name].safeParse(undefined);
    return [
      name,
      {
        description,
        default: fallback ?? (data === "none" ? data : `\`${typeof data === "string" ? data : JSON.stringify(data)}\``),
      },
    ];
  });
}
