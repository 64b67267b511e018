import { AuthenticationError } from "../../provider/src/errors";
import type { AnyLifecycle, Resource } from "../../provider/src/lifecycle/lifecycle";
import { storedKeyHints } from "../../provider/src/lifecycle/layers";

const refused = () => new AuthenticationError("the key was refused", { advice: "Check the key." });
const hint =
  /^the key was refused\. Check the key\. Pulumi runs destroy, refresh and up --refresh with .*for these commands\.$/;

// The wrapper passes it on, and reads nothing of it.
const resource = {} as Resource;

function lifecycleThat(fail: () => Promise<never>, programRuns = false) {
  const methods = {
    check: () => Promise.resolve({ inputs: {}, failures: [] }),
    create: fail,
    read: fail,
    delete: fail,
  };
  return storedKeyHints({ programRuns })(methods as unknown as AnyLifecycle, "voice");
}

test("a refused key is explained by the stored configuration in a refresh and in a destroy", async () => {
  const error = refused();
  const lifecycle = lifecycleThat(() => Promise.reject(error));
  // All resources share the error of one list.
  for (let reads = 0; reads < 3; reads++) await expect(lifecycle.read("v", {}, resource)).rejects.toThrow(hint);
  await expect(lifecycle.delete("v", {}, resource)).rejects.toThrow(hint);
});

test("not where the program has passed the configuration of today", async () => {
  const lifecycle = lifecycleThat(() => Promise.reject(refused()), true);
  for (const call of [lifecycle.create({}, resource), lifecycle.delete("v", {}, resource)])
    await expect(call).rejects.toThrow(/^the key was refused\. Check the key\.$/);
});

test("other errors stay as they are", async () => {
  await expect(lifecycleThat(() => Promise.reject(new Error("reset"))).read("v", {}, resource)).rejects.toThrow(
    /^reset$/,
  );
});
