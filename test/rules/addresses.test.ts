import {
  addressDoubts,
  addressesBesideEnvironment,
  addressesOfFile,
  addressUse,
  type AddressName,
  type Recorded,
} from "../../provider/src/rules/addresses";
import { findSetting } from "../../provider/src/rules/find-setting";

const [a, b, here, alsoHere] = ["https://a.example", "https://b.example", "http://127.0.0.1:1", "http://localhost:2"];

describe("an address that is not the one of the state", () => {
  const kindsOf = (recorded: Recorded[], address: string, served = recorded) => {
    const use = { kind: "voice", address, ofFile: undefined } as const;
    const { questions, problem } = addressDoubts(use, recorded, served);
    return problem === undefined ? questions.map(({ request }) => request) : problem;
  };
  const voice = (address: string): Recorded => ({ kind: "voice", account: `${address} aaaaaa` });

  test.each<[what: string, recorded: Recorded[], address: string, questions: string[]]>([
    ["the same", [voice(a), voice(a)], a, []],
    ["written otherwise", [voice(a)], "https://A.example:443", []],
    ["none, in a damaged state", [voice(""), { kind: "voice", account: undefined }], a, []],
    ["of another interface", [{ kind: "image", account: `${b} aaaaaa` }], a, []],
    ["another one of this machine", [voice(here)], alsoHere, []],
    ["another host", [voice(b), voice(b)], a, [b]],
    ["another path", [voice(`${a}/v2`)], a, [`${a}/v2`]],
    ["no address at all", [voice("evil\n")], a, ["evil\n"]],
    ["two others", [voice(b), voice("https://c.example"), voice(a)], a, [b, "https://c.example"]],
  ])("%s: a question for each that is no other form of the same", (_, recorded, address, questions) => {
    expect(kindsOf(recorded, address)).toEqual(questions);
  });

  test.each([
    [here, a],
    [a, alsoHere],
  ])("from %s to %s is an error, because an emulator has no account of a service", (was, is) => {
    expect(kindsOf([voice(was)], is)).toMatch(/nothing was sent\. Use a stack for each/);
    expect(addressDoubts({ kind: "voice", address: is, ofFile: undefined }, [voice(was)]).questions).toEqual([]);
    const names = /exist only in an emulator\. Remove them with `.* dev --here -- pulumi destroy`/;
    expect(names.test(String(kindsOf([voice(was)], is)))).toBe(was === here);
    expect(kindsOf([voice(was)], is)).toMatch(was === here ? /pulumi destroy`$/ : /were made with$/);
  });

  test("counts for the resources of this provider only: a stack may have two", () => {
    expect(kindsOf([voice(b)], a, [])).toEqual([]);
  });

  test("the question names both, and its id is for these two and not for a stack, because a refresh knows none", () => {
    const use = { kind: "image", address: a, ofFile: undefined } as const;
    const [question] = addressDoubts(use, [{ kind: "image", account: `${b}/\u001b[2J aaaaaa` }]).questions;
    expect(question).toMatchObject({ kind: "address", origin: a, stack: "" });
    expect(question?.uncertain).toMatch(
      /^The state records the address https:\/\/b\.example\/\\\S+, and .*imageBaseUrl.* https:\/\/a\.example now\. The key was not sent/,
    );
    expect(question?.yes).toMatch(/same account at a new address\. The next refresh writes it into the state$/);
  });
});

describe("an address of the stack's configuration, in a pipeline", () => {
  const problemOf = (
    recorded: Recorded[],
    kind: Recorded["kind"] = "voice",
    ofFile: AddressName | undefined = "baseUrl",
  ) => addressDoubts({ kind, address: a, ofFile }, recorded, []).problem;

  test("is used if a resource of any kind was made with it", () =>
    expect(problemOf([{ kind: "decision", account: `${a} aaaaaa` }])).toBeUndefined());

  test.each<[what: string, recorded: Recorded[], kind: Recorded["kind"]]>([
    ["the stack is new", [], "voice"],
    ["all was made elsewhere", [{ kind: "voice", account: `${b} aaaaaa` }], "voice"],
    ["only the beginning of the address fits", [{ kind: "voice", account: `${a}.evil.example aaaaaa` }], "voice"],
    ["no resource records an address", [{ kind: "image", account: undefined }], "image"],
  ])("is an error that names the variable if %s", (_, recorded, kind) =>
    expect(problemOf(recorded, kind)).toMatch(
      /^cloudvoice:baseUrl is https:\/\/a\.example,.*: set CLOUDVOICE_BASE_URL in the pipeline/,
    ),
  );
});

test("what is to be proved of an address is where it comes from, and in a pipeline only", () => {
  const settings = { voiceBaseUrl: a, addressesOfFile: { voice: "baseUrl" } } as const;
  const use = { kind: "voice", address: a };
  expect(addressUse(settings, "voice", { CI: "true" })).toEqual({ ...use, ofFile: "baseUrl" });
  expect(addressUse(settings, "voice", {})).toEqual({ ...use, ofFile: undefined });
  expect(addressUse(settings, "image", { CI: "true" })).toBeUndefined();
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
