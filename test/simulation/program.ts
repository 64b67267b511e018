import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { markPath } from "../../provider/src/dynamic/provider-text";
import { resourceLabel } from "../../provider/src/rules/resource-types";
import { type Kind, ofProcess, urnOf } from "./state";

/** A resource in the program of a simulated person. */
export interface Declaration {
  name: string;
  kind: Kind;
  /** The recording: the number of a URL, or of the bytes behind a path. For an image, the prompt. */
  content: number;
  /** The recording is a file: its path stays when its bytes change. */
  file: boolean;
  trigger: number;
  model: string;
  chosenName: boolean;
  adopt?: string | undefined;
  aliases: string[];
  protect: boolean;
  deleteBeforeReplace: boolean;
  ignoreAudio: boolean;
  /** The provider process that serves it. */
  process: number;
  /** Images and decisions of one content have equal inputs, whatever they are called. */
  isAlike: boolean;
  /** Its prompt or state, or the text and the signed address of its recording, are secrets of the program. */
  isSecret?: boolean;
  /** Where an image is saved. */
  saveTo?: string | undefined;
  /** The decision that the resource waits for, with `dependsOn`. It counts if it is declared before the resource. */
  behind?: string | undefined;
  /** The decision expects what its answers are not. */
  isClosed?: boolean;
  /** Other inputs than those that follow from the fields above. */
  inputs?: Props;
}

export type Program = readonly Declaration[];

export const models = ["svc3-tts-vc-2026-01-22", "svc3-tts-vc-realtime-2026-01-15"] as const;

export function declaration(name: string, kind: Kind, content: number): Declaration {
  return {
    ...{ name, kind, content, file: false, trigger: 0, model: models[0], chosenName: false },
    ...{
      aliases: [],
      protect: false,
      deleteBeforeReplace: false,
      ignoreAudio: false,
      process: 0,
      isAlike: false,
    },
  };
}

/** Of the resources that have some. Nothing that the package writes may have them. */
export const secrets = { text: "secret text 8d21f7", prompt: "secret scene 6ac940", signature: "5ec2e7517fd00d" };

/** More than any answer of the simulated service, in whichever form it is. */
export const closedFrom = 1000;

/** The bytes behind a path are known by this hash, which also is their URL at the service. */
export function hashOf(content: number): string {
  return `sha-of-content-${content}`;
}

/** The properties that the program hands to the engine. */
export function goalOf(stack: string, declared: Declaration, process = 0, program: Program = []): Props {
  const { name, kind, content, trigger } = declared;
  const [organization] = stack.includes("/") ? stack.split("/") : [];
  const { isSecret = false } = declared;
  const prompt = `${isSecret ? secrets.prompt : ""} ${declared.isAlike ? "the same" : name} ${content}`.trim();
  const signed = isSecret ? `?X-Amz-Signature=${secrets.signature}` : "";
  const urn = urnOf(stack, kind, name);
  const triggers = trigger === 0 ? {} : { triggers: [trigger] };
  const gate = gateOf(declared, program);
  const identity = {
    urn,
    ...(process !== 0 && ofProcess(process, urn)),
    // A plugin is not told its organization.
    ...(organization !== undefined && process === 0 && { organization }),
    ...(declared.deleteBeforeReplace && { deleteBeforeReplace: true }),
    ...(declared.protect && { protect: true }),
    ...(gate?.isClosed === true &&
      gate.process === process && { gates: [resourceLabel(urnOf(stack, "decision", gate.name))] }),
    ...(declared.adopt !== undefined && { declared: JSON.stringify(program.map((each) => each.name)) }),
    marksPaths: true,
  };
  switch (kind) {
    case "voice":
      return {
        targetModel: declared.model,
        audio: declared.file ? markPath(`audio/${name}.wav`) : `https://audio.example/${content}${signed}`,
        ...(isSecret && { text: secrets.text, secretInputs: ["text", "audio"] }),
        ...triggers,
        ...(declared.chosenName && { preferredName: `chosen_${name}` }),
        ...(declared.adopt !== undefined && { adopt: declared.adopt }),
        identity,
        ...declared.inputs,
      };
    case "image":
      return {
        model: "svc-image",
        prompt,
        ...(isSecret && { secretInputs: ["prompt"], images: "", taskOutput: "" }),
        ...(declared.saveTo !== undefined && { saveTo: declared.saveTo }),
        ...triggers,
        identity,
        ...declared.inputs,
      };
    case "decision": {
      const questions = { good: { type: "noul", instructions: "Is it good?" } };
      const expect = declared.isClosed === true && { expect: { good: { min: closedFrom } } };
      const hidden = isSecret && { secretInputs: ["state"], answers: "" };
      return { state: prompt, questions, ...expect, ...hidden, ...triggers, identity, ...declared.inputs };
    }
  }
}

/** The decision that the program makes the resource wait for. */
export function gateOf({ behind, name, kind }: Declaration, program: Program): Declaration | undefined {
  const own = program.findIndex((each) => each.name === name && each.kind === kind);
  return program.slice(0, Math.max(0, own)).find((each) => each.kind === "decision" && each.name === behind);
}
