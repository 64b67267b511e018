import { artifactName, namesOf } from "../../actions/src/project";
import { put, temporaryFolder } from "../support/files";

function projectOf(text: string, file = "Pulumi.yaml"): string {
  const folder = temporaryFolder();
  put(folder, file, text);
  return folder;
}

test.each([
  ["dev", { project: "voices", stack: "dev" }],
  ["other/dev", { project: "other", stack: "dev" }],
  ["acme/other/dev", { project: "other", stack: "dev" }],
])("the stack %s is %j", (stack, names) => {
  expect(namesOf(projectOf("name: voices\n"), stack)).toEqual(names);
  expect(namesOf(projectOf("name: voices\n", "Pulumi.yml"), stack)).toEqual(names);
  expect(namesOf(projectOf('{ "name": "voices" }', "Pulumi.json"), stack)).toEqual(names);
});

test("two projects with stacks of one name, and two stacks of a project, share no artifact and no journal", () => {
  const names = ["app", "app-dev"].flatMap((project) =>
    ["dev", "dev-dev"].map((stack) => artifactName(namesOf(projectOf(`name: ${project}`), stack))),
  );
  expect(new Set(names).size).toBe(4);
});

test.each(["", "name: [a]", "name: a/b", "name: ../x", "- a"])("%j has no valid name of a project", (text) => {
  expect(() => namesOf(projectOf(text), "dev")).toThrow("The name of the project in");
});

test("a folder without a project is an error that says what to set", () => {
  expect(() => namesOf(temporaryFolder(), "dev")).toThrow("Set the input working-directory");
});
