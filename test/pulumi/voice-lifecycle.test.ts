import { accountFingerprint } from "../../provider/src/rules/account-fingerprint";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { newOperation } from "../support/operation";

test.each([
  ["404 NotFound", 404, '{"code":"NotFound","message":"no such voice"}'],
  ["404 in the other form", 404, '{"error":{"code":"resource_not_found","message":"gone"}}'],
  ["400 InvalidParameter", 400, '{"code":"InvalidParameter","message":"voice not found"}'],
])(
  "a delete refused with %s is done when the list has no such voice, and an error when it has",
  async (_, status, answer) => {
    const emulator = await emulate();
    const [voice = ""] = emulator.seedVoices("default", 1);
    const service = await inFrontOf(
      emulator,
      () => undefined,
      ({ body }) => (body.includes('"action":"delete"') ? { status, answer } : undefined),
    );
    const state = {
      targetModel: "svc3-tts-vc-2026-01-22",
      preferredName: "by_hand",
      account: accountFingerprint(service.url, service.apiKey),
    };

    await expect(newOperation(service).voice.delete(voice, state)).rejects.toThrow(/deleting the voice .* failed/);
    emulator.vanish("default", voice);
    await newOperation(service).voice.delete(voice, state);
  },
);
