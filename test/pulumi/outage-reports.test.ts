import { UnreachableError } from "../../provider/src/errors";
import { outageReports } from "../../provider/src/lifecycle/amended-errors";
import { resource } from "../support/holders";
import { lifecyclesOf } from "../support/operation";

test("ten voices and an image that find nothing listening at a local address print its reason once", async () => {
  const reportOnce = outageReports();
  const { voice, image } = lifecyclesOf({ url: "http://127.0.0.1:9", apiKey: "key-of-nobody" });
  const [voices, images] = [reportOnce(voice, "voice"), reportOnce(image, "image")];
  const wanted = { targetModel: "svc3-tts-vc-2026-01-22", audio: "https://audio.example/a.wav", preferredName: "n" };
  const creates = [
    ...Array.from({ length: 10 }, (_, index) => voices.create(wanted, resource(`urn:pulumi:dev::p::t::v${index}`))),
    images.create({ model: "svc-image", prompt: "p" }, resource("urn:pulumi:dev::p::t::i")),
  ];
  const errors = (await Promise.allSettled(creates)).map((end) =>
    end.status === "rejected" ? String(end.reason) : "",
  );
  const full = errors.filter((error) =>
    /ECONNREFUSED.*start the emulator: `npx --no-install pulumi-cloudvoice emulator`/.test(error),
  );
  expect(full).toHaveLength(1);
  const short = errors.filter((error) =>
    error.endsWith("the service could not be reached either. Another error of this run states the reason."),
  );
  expect(short).toHaveLength(10);
});

test("other errors stay as they are", async () => {
  const error = new UnreachableError("another machine is away");
  const { voice } = lifecyclesOf({ url: "http://127.0.0.1:9", apiKey: "key-of-nobody" });
  const failing = outageReports()({ ...voice, import: () => Promise.reject(error) }, "voice");
  for (let calls = 0; calls < 2; calls++) await expect(failing.import("v")).rejects.toBe(error);
});
