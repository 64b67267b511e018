import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exampleIn } from "../../tools/generate/examples";
import { compileGoSdk, generateSdks, packedPythonSdk } from "../../tools/generate-sdks";
import { put, temporaryFolder } from "../support/files";

/** The SDKs that Pulumi generates from the plugin's schema. Programs with them are in examples.test.ts and python-page.test.ts. */

let sdks: string;
beforeAll(async () => {
  sdks = temporaryFolder();
  await generateSdks(sdks);
});

test("the package contains the SDK for Python as it is generated from the schema: npm run plugin-sdks -- python", () => {
  const filesIn = (sdk: string) => readdirSync(join(sdk, "pulumi_cloudvoice")).filter((name) => /\.pyi?$/.test(name));
  const generated = filesIn(join(sdks, "python"));
  expect(filesIn(packedPythonSdk).sort()).toEqual([...generated].sort());
  for (const file of generated)
    expect(readFileSync(join(packedPythonSdk, "pulumi_cloudvoice", file), "utf8")).toBe(
      readFileSync(join(sdks, "python", "pulumi_cloudvoice", file), "utf8"),
    );
});

test("the SDK for Go compiles, and so do the examples in the schema", () => {
  for (const kind of ["voice", "image", "decision"] as const)
    put(join(sdks, `example-${kind}`), "main.go", exampleIn("go", kind));
  compileGoSdk(sdks);
});
