import {
  addressesBesideEnvironment,
  addressesOfFile,
  addressGuard,
  type AddressName,
} from "../../provider/src/rules/addresses";
import { findSetting } from "../../provider/src/rules/find-setting";

const [a, b] = ["https://a.example", "https://b.example"];

describe("an address of the stack's configuration", () => {
  const settings = { addressesOfFile: { voice: "baseUrl", image: "imageBaseUrl" } } as const;

  test.each(["true", "1", "yes", "woodpecker"])(
    "is an error in a pipeline (CI is %s), which names the variable",
    (CI) => {
      const guard = addressGuard(settings, { CI });
      expect(() => guard("voice")).toThrow(/\(cloudvoice:baseUrl\).*: set CLOUDVOICE_BASE_URL/);
      expect(() => guard("image")).toThrow(/set CLOUDVOICE_IMAGE_BASE_URL/);
      expect(() => guard("decision")).not.toThrow();
    },
  );

  test.each([undefined, "", "0", "false", "False"])("is used on a machine of a person (CI is %j)", (CI) => {
    expect(() => addressGuard(settings, { CI })("voice")).not.toThrow();
  });
});

describe("where addresses come from", () => {
  const find = (environment: Record<string, string>, config: Record<string, string>) => (name: AddressName) =>
    findSetting(name, environment, (key) => config[key]);

  test.each<[environment: Record<string, string>, config: Record<string, string>, variables: string[]]>([
    [{}, { "cloudvoice:baseUrl": a, "cloudvoice:imageBaseUrl": b }, []],
    [{ CLOUDVOICE_BASE_URL: a }, { "cloudvoice:baseUrl": b }, []],
    [{ CLOUDVOICE_BASE_URL: a }, { "cloudvoice:imageBaseUrl": b }, ["CLOUDVOICE_IMAGE_BASE_URL"]],
    [{ CLOUDVOICE_VOICE_BASE_URL: a }, { "cloudvoice:baseUrl": b }, ["CLOUDVOICE_BASE_URL"]],
    [{ CLOUDVOICE_API_KEY: "k" }, { "cloudvoice:baseUrl": b }, []],
  ])("with %j, the configuration %j lacks %j in the environment", (environment, config, variables) => {
    const problems = addressesBesideEnvironment(find(environment, config));
    expect(problems.map((problem) => /set (CLOUDVOICE_\w+) too/.exec(problem)?.[1])).toEqual(variables);
  });

  test("an interface has its own address, or the one for all, from the environment or the configuration", () => {
    const config = { "cloudvoice:baseUrl": a, "cloudvoice:imageBaseUrl": b };
    expect(addressesOfFile(find({}, config))).toEqual({
      voice: "baseUrl",
      image: "imageBaseUrl",
      decision: "baseUrl",
    });
    expect(addressesOfFile(find({ CLOUDVOICE_BASE_URL: a }, {}))).toEqual({});
    expect(addressesOfFile(find({}, {}))).toEqual({});
  });
});
