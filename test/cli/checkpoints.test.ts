import { canSkipCheckpoints, type Plan } from "../../provider/src/cli/up";

const stepOf = (op: string, type: string) => ({ op, urn: `urn:pulumi:dev::p::${type}::name` });
const own = [
  stepOf("create", "pulumi:pulumi:Stack"),
  stepOf("create", "cloudvoice:index:VoiceCatalog"),
  ...Array.from({ length: 48 }, () =>
    stepOf("create", "cloudvoice:index:VoiceCatalog$pulumi-nodejs:dynamic/cloudvoice:CloudVoice"),
  ),
];
const plan: Plan = {
  preview: { steps: own, whole: true },
  backend: "file:///states",
  journal: undefined,
  environment: {},
};
const withStep = (op: string, type: string): Partial<Plan> => ({
  preview: { steps: [...own, stepOf(op, type)], whole: true },
});

test.each<[what: string, plan: Partial<Plan>, skips: boolean]>([
  ["fifty changes of this package", {}, true],
  ["fewer changes", { preview: { steps: own.slice(1), whole: true } }, false],
  ["unchanged resources of this package too", withStep("same", "cloudvoice:index:Decision"), true],
  ["an unchanged resource of another provider", withStep("same", "aws:s3/bucket:Bucket"), false],
  ["a resource to be deleted of another provider", withStep("delete", "pulumi-nodejs:dynamic:Resource"), false],
  ["another provider", withStep("same", "pulumi:providers:aws"), false],
  ["a preview that lacks resources", { preview: { steps: own, whole: false } }, false],
  ["a bucket", { backend: "s3://states" }, true],
  ["the hosted backend", { backend: "https://pulumi.com" }, false],
  ["PostgreSQL", { backend: "postgres://host/states" }, false],
  ["an unknown backend", { backend: undefined }, false],
  ["a pipeline with a folder of notes", { environment: { CI: "true" }, journal: ".journal" }, false],
  ["a pipeline with notes in a bucket", { environment: { CI: "true" }, journal: "s3://notes/here" }, true],
  ["no pipeline", { environment: { CI: "false" } }, true],
])("`up` may run without checkpoints, or not: %s", (_, more, skips) => {
  expect(canSkipCheckpoints({ ...plan, ...more })).toBe(skips);
});
