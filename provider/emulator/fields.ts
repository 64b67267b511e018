/** The fields of a request or a response. */
export type Fields = Record<string, unknown>;
