/** A tool of ours as a client shows it to its model. */
export interface ShownTool {
  /** As the client calls it, which may have a prefix. */
  readonly name: string;
  /** The group of tools that it stands in, where the client has such. */
  readonly namespace?: string | undefined;
}

/** What a client sent to its model. */
export interface ModelRequest {
  readonly tools: readonly ShownTool[];
  /** What calls of our tools have given so far, oldest first, as the model reads it. */
  readonly results: readonly string[];
  /** Tools that the client names and shows only after they were asked for, and the call that asks. */
  readonly deferred?: { readonly tools: readonly ShownTool[]; ask(name: string): { readonly call: ShownTool; readonly input: object } };
}

/** What the model answers. */
export type ModelReply = { readonly text: string } | { readonly call: ShownTool; readonly input: object };

/** How a vendor's API is spoken: one file a vendor. */
export interface Wire {
  /** True for a path that is asked for an answer of the model. */
  answers(path: string): boolean;
  read(body: unknown): ModelRequest;
  /** The body of the answer, and its content type. */
  write(reply: ModelReply, request: { readonly path: string; readonly body: unknown }): { readonly type: string; readonly body: string };
}

export type Json = { readonly [name: string]: Json } & readonly Json[];

export const isOurs = ({ name, namespace }: ShownTool): boolean => `${namespace ?? ""}__${name}`.includes("toolwright_");

/** Reads what is not ours without trusting its shape: a member that is missing is undefined all the way down. */
export const lax = (value: unknown): Json => (value ?? {}) as Json;

/** Items of a list; nothing of what is none. */
export const items = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** A text as it is, else as JSON. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

export const events = (list: readonly (readonly [string | undefined, unknown])[]): { readonly type: string; readonly body: string } => ({
  type: "text/event-stream",
  body: list
    .map(
      ([event, data]) =>
        `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    )
    .join(""),
});

let last = 0;
export const nextId = (prefix: string): string => `${prefix}_${++last}`;
