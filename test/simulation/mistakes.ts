import type { Resource } from "../../provider/src/lifecycle/lifecycle";
import { generateName } from "../../provider/src/rules/naming";
import type { Http, HttpRequest, HttpResponse } from "../../provider/src/service/http";
import { apiKey, type Mistake } from "./provider";

const emptyList = JSON.stringify({ output: { voice_list: [] }, usage: { count: 0 }, request_id: "none" });

/** Mistakes that the simulation must find. Each is made from outside: the code of the package knows none of them. */
export const mistakes: Record<string, Mistake> = {
  "no patience after a lost response": { settings: { settleSeconds: "0" } },

  "the journal is not read": {
    parts: (parts) => {
      const nothing = { readAll: () => Promise.resolve(new Map()), read: () => Promise.resolve(undefined) };
      return parts.journal ? { ...parts, journal: { ...parts.journal, ...nothing } } : parts;
    },
  },

  "ignoreChanges is forgotten": {
    voice: (lifecycle) => ({
      ...lifecycle,
      check: (news, olds, resource, unknown) =>
        lifecycle.check(news, olds, { ...resource, options: { ...resource.options, keepsRecording: false } }, unknown),
    }),
  },

  "a name does not depend on the content": {
    voice: (lifecycle) => ({
      ...lifecycle,
      async check(news, olds, resource, unknown) {
        const { inputs, failures } = await lifecycle.check(news, olds, resource, unknown);
        if (resource.identity === undefined || !("nameVersion" in inputs)) return { inputs, failures };
        const preferredName = generateName(
          { namespace: "organization", urn: resource.identity.urn },
          { targetModel: "", audio: "" },
        );
        return { inputs: { ...inputs, preferredName }, failures };
      },
    }),
  },

  "a billed request is sent again after a lost response": sending((request, send) =>
    isCall(request, "create") ? send(request).catch(() => send(request)) : send(request),
  ),

  "an unrecognised list is an empty account": receiving((response, request) => {
    const isRecognised = response.status !== 200 || response.body.includes('"voice"');
    return isRecognised || !isCall(request, "list") ? {} : { body: emptyList };
  }),

  "a 404 ends a task": receiving(({ status }, { method }) =>
    method === "GET" && status === 404 ? { status: 200, body: JSON.stringify({ task_status: "FAILED" }) } : {},
  ),

  "`UNKNOWN` ends a task": receiving(({ body }, { method }) =>
    method === "GET" ? { body: body.replace('"UNKNOWN"', '"FAILED"') } : {},
  ),

  "a note is found by inputs": {
    image: (lifecycle) => ({
      ...lifecycle,
      create: (inputs, resource) =>
        lifecycle.create(inputs, {
          ...resource,
          label: "any",
          ...(resource.identity && { identity: { ...resource.identity, urn: "any" } }),
        }),
    }),
  },

  "a file is named by its resource": {
    parts: ({ openPictures, ...parts }) => ({
      ...parts,
      openPictures: (...args) => {
        const store = openPictures!(...args);
        return { ...store, addressOf: (name) => store.addressOf(name.replace(/-[0-9a-f]{12}\./, ".")) };
      },
    }),
  },

  "a create forgets which inputs are secret": {
    voice: (lifecycle) => ({ ...lifecycle, create: (inputs, resource) => lifecycle.create(inputs, open(resource)) }),
    image: (lifecycle) => ({ ...lifecycle, create: (inputs, resource) => lifecycle.create(inputs, open(resource)) }),
  },

  "a note has the key of its request": {
    parts: ({ journal, ...parts }) => ({
      ...parts,
      journal: { ...journal!, write: (key, note) => journal!.write(key, note.replace("{", `{"key":"${apiKey}",`)) },
    }),
  },

  "a gate that failed is open in the next update": {
    decision: (lifecycle) => ({ ...lifecycle, update: (_id, olds, news) => Promise.resolve({ ...olds, ...news }) }),
  },

  "the list is read only once": {
    parts: (parts) => {
      const pages = new Map<string, Promise<HttpResponse>>();
      const remembering = (request: HttpRequest, send: Send) => {
        if (!isCall(request, "list")) return send(request);
        const key = textOf(request);
        const page = pages.get(key) ?? send(request);
        pages.set(key, page);
        return page;
      };
      return { ...parts, http: withSend(parts.http, remembering) };
    },
  },
};

const open = (resource: Resource): Resource => ({ ...resource, secrets: new Set() });

type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** A mistake in how requests are sent. */
function sending(send: Parameters<typeof withSend>[1]): Mistake {
  return { parts: (parts) => ({ ...parts, http: withSend(parts.http, send) }) };
}

/** A mistake in how responses are read. */
function receiving(change: (response: HttpResponse, request: HttpRequest) => Partial<HttpResponse>): Mistake {
  return sending(async (request, send) => {
    const response = await send(request);
    return { ...response, ...change(response, request) };
  });
}

function withSend(http: Http | undefined, send: (request: HttpRequest, original: Send) => Promise<HttpResponse>): Http {
  if (http === undefined) throw new Error("The simulation passes an Http.");
  return { ...http, send: (request) => send(request, (each) => http.send(each)) };
}

function isCall(request: HttpRequest, action: string): boolean {
  return textOf(request).includes(`"action":"${action}"`);
}

function textOf(request: HttpRequest): string {
  const body = request.body?.();
  return typeof body === "string" ? body : "";
}
