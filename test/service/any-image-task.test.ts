import fc from "fast-check";
import { apiKey, check, container, extras, nested, respondingWith } from "../support/any-form";
import { sending } from "../support/service";

describe("an image task", () => {
  test("that is submitted is read in any form", () => {
    const fields = fc.record(
      { task_id: fc.constant("t-1"), task_status: fc.constantFrom("PENDING", "queued") },
      { requiredKeys: ["task_id"] },
    );
    return check(nested(fields, { request_id: "r-1" }), async (json) => {
      const submitted = await respondingWith(json).images.submit({ model: "svc-image", prompt: "a" }, { sending });
      expect(submitted).toMatchObject({ taskId: "t-1", requestId: "r-1" });
    });
  });

  const absolute = ["https://images.example/1.png?Expires=1&Signature=a%2Fb", "https://images.example/2.png"];
  const field = fc.constantFrom("url", "image_url", "imageUrl", "image", "src", "uri", "x_field");
  const name = fc.oneof(fc.constantFrom("results", "images", "image_urls", "data", "files"), container);
  const baseUrl = "https://service.example";
  const paths = ["/results/1.png?Expires=1&Signature=a%2Fb", "/results/2.png"];
  const drawn = { addresses: fc.constantFrom(absolute, paths), field, name, extra: extras };
  const found = fc.record(drawn).chain(({ addresses, field: key, name: list, extra }) => {
    // A path counts in a field for addresses only.
    const urls = key === "x_field" ? absolute : addresses;
    const objects = urls.map((url) => ({ ...extra, orig_prompt: "a", [key]: url }));
    return fc.constantFrom<object>(
      { [list]: objects },
      { [list]: urls },
      {
        [list]: urls
          .map((url) => ({ [key]: { url } }))
          .map((each) => (key === "x_field" ? objects[0] : each))
          .map((_, index) => objects[index]),
      },
      { [list]: Object.fromEntries(objects.map((each, index) => [String(index), each])) },
      { [list]: { image_1: urls[0], image_2: urls[1] } },
      { image_1: urls[0], image_2: urls[1] },
    );
  });
  const common = {
    task_id: "t-1",
    task_status: "Succeeded",
    end_time: "2025-08-11 17:59:52.000",
    docs_url: "https://docs.example/",
  };
  test("that succeeded names its images in any form", () =>
    check(
      nested(
        found.map((fields) => ({ ...common, ...fields })),
        { request_id: "r-1" },
      ),
      async (json) => {
        const task = await respondingWith(json).images.poll("t-1", { secret: false });
        expect(task.taskStatus).toBe("Succeeded");
        const read = task.results.map((image) => ("url" in image ? image.url : image));
        const ofService = paths.map((path) => new URL(path, baseUrl).href);
        expect(read).toEqual(JSON.stringify(json).includes(paths[1] ?? "") ? ofService : absolute);
      },
    ));

  test.each<object>([
    { image_url: absolute[0] },
    { result: absolute[0] },
    { result: { url: absolute[0], thumbnail_url: "https://images.example/small.png" } },
    { image: { url: absolute[0] } },
    { results: [{ url: absolute[0] }], image_urls: [absolute[0]] },
    { results: { url: absolute[0] } },
  ])("that has one image names it: %j", async (fields) => {
    const { results } = await respondingWith({ output: { ...common, ...fields }, request_id: "r" }).images.poll("t", {
      secret: false,
    });
    expect(results).toEqual([{ url: absolute[0] }]);
  });

  test("that failed shows why, also in a form that nobody knows", async () => {
    const json = { output: { task_id: "t", task_status: "FAILED", x_why: "DataInspectionFailed", x_hint: "no" } };
    const { message } = await respondingWith(json).images.poll("t", { secret: false });
    expect(message).toBe('the service gave no reason: {"output":{"x_why":"DataInspectionFailed","x_hint":"no"}}');
  });

  test.each([400, 404, 500])(
    "that the service does not know is UNKNOWN, as by its state, with the status %i",
    async (status) => {
      const { images } = respondingWith({ code: "TaskNotFound" }, { status });
      expect(await images.poll("t", { secret: false })).toMatchObject({ taskStatus: "UNKNOWN", results: [] });
    },
  );

  test("of which some images failed says which", async () => {
    const list = [{ image_url: absolute[0] }, { error_code: "DataInspectionFailed", detail: "no" }];
    const task = await respondingWith({ data: { task_status: "SUCCEEDED", pictures: list } }).images.poll("t", {
      secret: false,
    });
    expect(task.results).toEqual([{ url: absolute[0] }, { code: "DataInspectionFailed", message: "no" }]);
  });

  test("that names no image is kept as the service described it, without the key and control characters", async () => {
    const json = { output: { task_status: "SUCCEEDED", blob: `\u001b[31m ${apiKey}`, many: Array(5000).fill("x") } };
    const { results, raw } = await respondingWith(json).images.poll("t", { secret: false });
    expect(results).toEqual([]);
    expect(raw).toMatchObject({ output: { task_status: "SUCCEEDED", blob: "\\u{1b}[31m [key]" } });
    expect(JSON.stringify(raw).length).toBeLessThan(10_000);
  });

  test("is looked up without a Content-Type, because a GET has no content", async () => {
    const { images, sent } = respondingWith({ task_status: "RUNNING" });
    await images.poll("t", { secret: false });
    expect(Object.keys(sent[0]?.headers ?? {})).toEqual(["authorization"]);
  });
});
