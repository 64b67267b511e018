import { AuthenticationError } from "../../provider/src/errors";
import type { Lifecycle } from "../../provider/src/pulumi/provider/lifecycle";
import { explainStoredKey } from "../../provider/src/pulumi/provider/stored-key";

const refused = () => new AuthenticationError("the key was refused", { advice: "Check the key." });
const hint =
  /^the key was refused\. Check the key\. Pulumi runs destroy, refresh and up --refresh with .*key is new\.$/;

function lifecycleThat(fail: () => Promise<never>) {
  const methods = {
    check: () => Promise.resolve({ inputs: {}, failures: [] }),
    create: fail,
    read: fail,
    delete: fail,
  };
  return explainStoredKey(methods as unknown as Lifecycle);
}

test("a refused key is explained by the stored configuration in a refresh and in a destroy", async () => {
  const error = refused();
  const lifecycle = lifecycleThat(() => Promise.reject(error));
  // All resources share the error of one list.
  for (let resource = 0; resource < 3; resource++) await expect(lifecycle.read("v", {})).rejects.toThrow(hint);
  await expect(lifecycle.delete("v", {})).rejects.toThrow(hint);
});

test("not where the program has passed the configuration of today", async () => {
  const lifecycle = lifecycleThat(() => Promise.reject(refused()));
  await lifecycle.check({}, {}, new Set());
  for (const call of [lifecycle.create({}), lifecycle.delete("v", {})])
    await expect(call).rejects.toThrow(/^the key was refused\. Check the key\.$/);
});

test("other errors stay as they are", async () => {
  await expect(lifecycleThat(() => Promise.reject(new Error("reset"))).read("v", {})).rejects.toThrow(/^reset$/);
});
