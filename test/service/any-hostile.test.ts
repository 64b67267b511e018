import { apiKey, respondingWith } from "../support/any-form";
import { sentAsId } from "../../provider/src/service/redact";
import { sending } from "../support/service";
import { calls } from "./calls";

describe("what the service names is safe to show", () => {
  const evil = `\u001b[2J${apiKey}`;
  test("ids, names, states and codes", async () => {
    const odd = {
      request_id: evil,
      voice: `svc-${evil}`,
      target_model: "m",
      task_id: evil,
      task_status: evil,
    };
    const service = respondingWith({ output: odd });
    const created = await calls.create(service);
    const submitted = await calls.submit(service);
    const task = await calls.poll(respondingWith({ output: { ...odd, task_id: "t", code: evil } }));
    const list = { output: { voice_list: [{ ...odd, code: evil }] }, request_id: "r" };
    const page = await calls.list(respondingWith(list));
    expect(JSON.stringify([created, submitted, task, page])).not.toMatch(/canary|\\u001b/);
    expect(created.voice).toBe("svc-\\u{1b}[2J[key]");
  });

  test("a name that was made visible goes back as the service wrote it", async () => {
    const { voices, images, sent, respond } = respondingWith({ task_status: "RUNNING" });
    await images.poll("t\\u{1b}1", { secret: false });
    respond({ request_id: "r", count: 0 });
    await voices.remove("v\\u{1b}1");
    expect(sent.map(({ url, body }) => body?.() ?? url)).toEqual([
      expect.stringContaining("/t%1B1"),
      expect.stringContaining('"voice":"v\\u001b1"'),
    ]);
  });

  test.each(["t\\u{0001b}1", "\\u{74}1", "t\n1", "..", ".", "", " "])(
    "an id %j, which none can be, is not sent",
    async (id) => {
      const { images, sent } = respondingWith({ task_status: "RUNNING" });
      await expect(images.poll(id, { secret: false })).rejects.toThrow(/not the id of an image task|not written as/);
      expect(sent).toEqual([]);
    },
  );

  test("an id of a voice that is written in another way is an error, and not the id of an absent voice", async () => {
    const row = { voice: "svc-a", target_model: "m", gmt_create: "2026-01-01" };
    const { account } = respondingWith({ request_id: "r", output: { voices: [row] } });
    const list = await account.atStart();
    expect(() => list.get("\\u{73}vc-a")).toThrow("is not written as pulumi-cloudvoice writes it");
  });

  test.each(["..", "."])("a task with the id %j was probably billed, and can't be looked up", async (task_id) => {
    const submitting = calls.submit(respondingWith({ output: { task_id, task_status: "PENDING" } }));
    await expect(submitting).rejects.toMatchObject({ name: "UnexpectedAnswerError", billed: "unknown" });
  });

  test("if an input is secret, a code, an id and a state show only what cannot quote it", async () => {
    const prompt = "canary-prompt";
    const odd = { code: prompt, message: prompt, request_id: `r-${prompt}`, task_id: "t", task_status: prompt };
    const refused = await respondingWith(odd, { status: 400 })
      .images.submit({ model: "svc-image", prompt }, { sending, secret: true })
      .catch((error: unknown) => error);
    const task = await respondingWith({ output: { ...odd, code: `Bad.${prompt}` } }).images.poll("t", { secret: true });
    expect(`${String(refused)} ${JSON.stringify(refused)} ${task.taskStatus} ${task.code ?? ""}`).not.toContain(
      "canary",
    );
  });
});

test.each(["", " ", "\t"])("the blank id %j of a state is sent to no service", (id) => {
  expect(() => sentAsId(id)).toThrow(/is not written as pulumi-cloudvoice writes it/);
});
