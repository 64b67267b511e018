import { type SettingName, settingNames, settingsSchema, settingTexts } from "../../provider/src/rules/settings";

/** The type of a setting where it need not be written as text: in the plugin's schema. */
export function settingType(name: SettingName): "boolean" | "integer" | "number" | "string" {
  const parsed = (written: string) => settingsSchema.shape[name].safeParse(written);
  const { data } = parsed("1");
  if (typeof data === "boolean") return "boolean";
  if (typeof data !== "number") return "string";
  return parsed("1.5").success ? "number" : "integer";
}

/** Every setting with its description and the value in force without it, for the docs. */
export function settingMeanings(): [name: SettingName, meaning: { description: string; default: string }][] {
  return settingNames.map((name) => {
    const meaning = settingTexts.get(settingsSchema.shape[name]);
    if (meaning === undefined) throw new Error(`The setting ${name} is declared without a meaning.`);
    const { description, fallback } = meaning;
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
