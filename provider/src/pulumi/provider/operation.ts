import { QuotaPlan } from "../../rules/quota";
import { findSetting, readSettings, type SettingName, type Settings } from "../../rules/settings";
import { connect, type Service } from "../../service/connect";
import type { Configure } from "./adapter";

/** What the resources of one provider process share: settings, connections, and one view of the account. */
export interface ProviderProcess {
  settings: Settings;
  service: Service;
  quota: QuotaPlan;
}

let current: ProviderProcess | undefined;

/** Called once for each kind of resource, every time with the same configuration. */
export const configure: Configure = (config) => {
  current ??= start((name) => findSetting(name, process.env, config));
};

export function providerProcess(): ProviderProcess {
  if (!current) throw new Error("the provider was called before it was configured");
  return current;
}

function start(find: (name: SettingName) => ReturnType<typeof findSetting>): ProviderProcess {
  const settings = readSettings(find);
  return { settings, service: connect(settings), quota: new QuotaPlan() };
}
