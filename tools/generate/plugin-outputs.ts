/* The outputs of the resources in the plugin's schema. Their inputs come from provider/src/rules/*-inputs.ts. */

export type Property = Record<string, unknown>;

const text = (description: string): Property => ({ type: "string", description });
const integer = (description: string): Property => ({ type: "integer", description });
const number = (description: string): Property => ({ type: "number", description });
const flag = (description: string): Property => ({ type: "boolean", description });
const numbers = (description: string): Property => ({
  type: "object",
  additionalProperties: { type: "number" },
  description,
});

const requestId = text("The service's id of the request that created the resource.");

/** What a decision answers, as outputs of the resource and as the result of the function. */
export const answersOf: Record<string, Property> = {
  answers: {
    type: "object",
    additionalProperties: { $ref: "#/types/cloudvoice:index:Answer" },
    description: "The answers by the ids of their questions. Secret when state or questions are.",
  },
  model: text("The model that answered."),
  requestId: text("The service's id of the request."),
  inputTokens: integer("How many tokens the input has."),
  latencyMs: number("Milliseconds that the service took, as it measured them."),
};

interface Outputs {
  description: string;
  properties: Record<string, Property>;
  /** Those that every resource has. */
  required: string[];
}

export const outputs: Record<string, Outputs> = {
  CloudVoice: {
    description:
      "A cloned voice of the service. It is created from a recording for 0.01 US dollars, and deleted with the resource. " +
      "It counts towards the account's quota of 1,000 voices.",
    properties: {
      voice: text("The voice's name, which synthesis calls take as `voice`. The same as `id`."),
      createdAt: text("When the service created the voice, in ISO 8601. The service's time is taken as UTC."),
      audioSha256: text("SHA-256 of the audio file, in hexadecimal. Absent for a URL, and for an adopted voice."),
      audioSeconds: number("Length of the audio file in seconds. Absent for a URL, and for an adopted voice."),
      degraded: flag("Whether the service created the voice in poorer quality. It bills such a voice too."),
      degradedReason: text("Why the voice is degraded, in the service's words."),
      adopted: flag("Whether the voice was imported, or taken over by `adopt`."),
      requestId,
    },
    required: ["adopted", "degraded", "preferredName", "voice"],
  },
  GeneratedImage: {
    description:
      "Images that an asynchronous task generates from a prompt. The task is submitted once. The images are downloaded " +
      "when it has ended, because the service keeps them for a day only.",
    properties: {
      taskId: text("The service's id of the task; the same as `id`."),
      taskStatus: text("The status of the task: `SUCCEEDED` once the images exist."),
      images: {
        type: "array",
        items: { $ref: "#/types/cloudvoice:index:Image" },
        description:
          "The images. One that failed has an `error`, and the service's `code` if it gave one. Secret when a prompt is.",
      },
      requestId,
      expiresAt: text(
        "When the URLs of the images die at the latest, in ISO 8601. Save the images with `saveTo` to keep them longer.",
      ),
    },
    required: ["images", "taskId", "taskStatus"],
  },
  Decision: {
    description:
      "A decision that is made once and kept in the state, so that every preview and update sees the same answers. With " +
      "`expect` it is a gate: resources that depend on it are created only if the answers meet the expectations.",
    properties: answersOf,
    required: Object.keys(answersOf),
  },
};

/** The types of nested values. */
export const types: Record<string, object> = {
  "cloudvoice:index:ListedVoice": {
    type: "object",
    properties: {
      voice: text("The voice's name."),
      targetModel: text("The synthesis model that the voice is bound to."),
      createdAt: text("When the service created the voice, in ISO 8601."),
    },
    required: ["targetModel", "voice"],
  },
  "cloudvoice:index:Image": {
    type: "object",
    properties: {
      url: text("The service's signed URL, which works for a day. Absent for an image that failed."),
      sha256: text("SHA-256 of the bytes, in hexadecimal."),
      contentType: text("The media type, for example `image/png`."),
      width: integer("Pixels."),
      height: integer("Pixels."),
      bytes: integer("The size of the image."),
      file: text("The saved file, relative to the program's folder, or the object's address in a bucket."),
      actualPrompt: text("The prompt as the service extended it."),
      error: text("Why there is no image."),
      code: text("The service's code of the error, if it gave one."),
    },
  },
  "cloudvoice:index:Question": {
    type: "object",
    properties: {
      type: text("`choice`, `noul` (yes or no) or `score`."),
      instructions: text("The question."),
      criteria: {
        $ref: "pulumi.json#/Any",
        description:
          "For a choice an object: the options, each with what it means. For a score a list: the levels, the lowest first. " +
          "Not for a noul.",
      },
    },
    required: ["type"],
  },
  "cloudvoice:index:Expectation": {
    type: "object",
    properties: {
      choice: { $ref: "pulumi.json#/Any", description: "For a choice: the option, or a list of options." },
      minConfidence: number("For a choice and a score: the least confidence, from 0 to 1."),
      min: number("For a noul and a score: the least value."),
      max: number("For a noul and a score: the greatest value."),
    },
  },
  "cloudvoice:index:Answer": {
    type: "object",
    properties: {
      type: text("The type of the question."),
      choice: text("Of a choice: the key of the chosen option."),
      noul: number("Of a noul: the probability of yes, from 0 to 1."),
      score: number("Of a score: the level, which may lie between two levels."),
      confidence: number("Of a choice and a score, from 0 to 1."),
      probabilities: numbers("Of a choice by option, of a score by level."),
      legend: { type: "object", additionalProperties: { type: "string" }, description: "Of a score: its levels." },
    },
    required: ["type"],
  },
};
