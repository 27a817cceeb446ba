import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Redactor, RedactStream } from "@toolwright/engine/ports";
import { redactorOf } from "../models/model-keys.ts";
import type { OpenedModel } from "../models/model-source.ts";
import { mapStream, type StreamMap } from "./map-stream.ts";

type Part = LanguageModelV4StreamPart;
type Delta = Extract<Part, { readonly delta: string }>;

/** An answer without the keys that its model was opened with: a server may repeat them, and what it says is shown and stored. */
export function redactAnswer(stream: ReadableStream<Part>, { keys = [] }: Pick<OpenedModel, "keys">): ReadableStream<Part> {
  const redactor = redactorOf(keys);
  return redactor.active ? mapStream(stream, redacting(redactor)) : stream;
}

function redacting(redactor: Redactor): StreamMap<Part> {
  /** Texts that come in pieces, by their ids. */
  const open = new Map<string, { readonly text: RedactStream; readonly last: Delta }>();
  const end = (id: string): readonly Delta[] => {
    const ended = open.get(id);
    open.delete(id);
    const delta = ended?.text.flush() ?? "";
    return ended && delta !== "" ? [{ ...ended.last, delta }] : [];
  };
  const before = (part: Part): readonly Delta[] => {
    if (part.type === "finish") return [...open.keys()].flatMap(end);
    return "id" in part && part.id !== undefined ? end(part.id) : [];
  };
  return {
    map: (part) => {
      if (!("delta" in part)) {
        // Of an error only the operator reads, in a report.
        return [...before(part), part.type === "error" ? part : redactStrings(part, redactor)];
      }
      const text = open.get(part.id)?.text ?? redactor.stream();
      const { delta, ...rest } = part;
      const last = { ...redactStrings(rest, redactor), delta: "" } as Delta;
      open.set(part.id, { text, last });
      return [{ ...last, delta: text.push(delta) }];
    },
    end: () => {},
  };
}

/** What is neither text nor holds any stays what it is: dates, bytes. */
function redactStrings<Value>(value: Value, redactor: Redactor): Value {
  if (typeof value === "string") return redactor.redact(value) as Value;
  if (Array.isArray(value)) return value.map((item) => redactStrings(item, redactor)) as Value;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactStrings(item, redactor)])) as Value;
}
