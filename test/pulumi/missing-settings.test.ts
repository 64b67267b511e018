import { newOperation } from "../support/operation";

test("a preview without an address or a key warns once, with both commands, also for images and decisions", () => {
  const nothing = { baseUrl: undefined, apiKey: undefined };
  const { lines } = newOperation({ url: "", apiKey: "" }, nothing);
  expect(lines).toEqual([
    "cloudvoice: warning: the update will fail: no address of the service and no API key are set. " +
      "Run `pulumi config set cloudvoice:baseUrl <address>` and `pulumi config set --secret cloudvoice:apiKey`, " +
      "or set CLOUDVOICE_BASE_URL and CLOUDVOICE_API_KEY.",
  ]);
  expect(newOperation({ url: "https://service.example", apiKey: "k" }).lines).toEqual([]);
  // The plan of a review has the same text, and no warning beside it.
  const planned = newOperation({ url: "", apiKey: "" }, nothing, { environment: { CLOUDVOICE_PLAN: "1" } }).lines;
  expect(planned).toContainEqual(expect.stringMatching(/^cloudvoice-plan: .*the update will fail: no address/));
  expect(planned.join("\n")).not.toContain("warning");
});
