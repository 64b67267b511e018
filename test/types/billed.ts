import type { Service } from "../../provider/src/service/connect";

/* What costs money can't be sent without the checks and the note of `BilledRequests`: nothing else makes what they take. */
export async function withoutIt({ voices, images, decisions }: Service): Promise<void> {
  // @ts-expect-error no sending
  await voices.create({ targetModel: "m", preferredName: "n", audio: { url: "https://a.example/a.wav" } });
  // @ts-expect-error no sending
  await images.submit({ model: "svc-image", prompt: "a" });
  // @ts-expect-error no sending
  await decisions.ask("a", {});
  const checks = {
    beforeSend: () => Promise.resolve(),
    note: () => Promise.resolve(),
    forget: () => Promise.resolve(),
  };
  // @ts-expect-error not one that BilledRequests made
  await decisions.ask("a", {}, { sending: checks }); // eslint-disable-line @typescript-eslint/no-unsafe-class-instance-assignment
}
