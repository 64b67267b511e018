import type { Service } from "../../provider/src/service/connect";
import { sending } from "../support/service";

export type Clients = Pick<Service, "voices" | "images" | "decisions">;

/** A voice that the emulator creates. */
export const voice = {
  targetModel: "svc3-tts-vc-2026-01-22",
  preferredName: "a",
  audio: { url: "https://a.example/a.wav" },
};

/** Every call of the client, by the name that the emulator's ledger gives it. */
export const calls = {
  list: ({ voices }: Clients) => voices.listPage(0, 1000),
  create: ({ voices }: Clients) => voices.create(voice, sending),
  delete: ({ voices }: Clients) => voices.remove("svc-a"),
  submit: ({ images }: Clients) => images.submit({ model: "svc-image", prompt: "a" }, { sending }),
  poll: ({ images }: Clients) => images.poll("t", { secret: false }),
  decide: ({ decisions }: Clients) => decisions.ask("s", { q: { type: "noul", instructions: "?" } }, { sending }),
};
