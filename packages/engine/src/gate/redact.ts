import type { CallError } from "../contract/call.ts";
import type { Json } from "../contract/json.ts";
import { type Form, formsOf } from "./redact-forms.ts";
import { FormIndex } from "./redact-index.ts";
import { type Findings, findForms, type Range } from "./redact-ranges.ts";
import { mark, RedactingStream } from "./redact-stream.ts";

/** Shorter values would redact ordinary words. */
const shortest = 4;
/** Fewer characters of a secret say nothing. */
const telling = 4;

/** Removes secret values, however they are encoded, from whatever leaves a call (R-TN-4). Costs nothing while there are none. */
export class Redactor {
  readonly #forms = new Map<string, readonly Form[]>();
  #index: FormIndex | undefined;

  get active(): boolean {
    return this.#forms.size > 0;
  }

  add(value: string): void {
    if (value.length < shortest || this.#forms.has(value)) return;
    this.#forms.set(value, formsOf(value));
    this.#index = undefined;
  }

  /** Where secrets stand in the text; what is known already is among them. Unless the text is the whole, more may come behind it. */
  find(text: string, { known = [], isWhole = true }: { known?: readonly Range[]; isWhole?: boolean } = {}): Findings {
    this.#index ??= new FormIndex([...this.#forms.values()].flat());
    return findForms(text, this.#index, { known, isWhole });
  }

  redact(text: string): string {
    const stream = this.stream();
    return stream.push(text) + stream.flush();
  }

  /** Latin-1 carries every byte as one character. Of bytes that were cut, the end is left out that may be the beginning of a secret. */
  redactBytes(bytes: Uint8Array, { isCut }: { readonly isCut: boolean }): Uint8Array {
    if (!this.active) return bytes;
    const stream = this.stream();
    const redacted = stream.push(Buffer.from(bytes).toString("latin1"));
    return Buffer.from(isCut && stream.held >= telling ? redacted : redacted + stream.flush(), "latin1");
  }

  /** Every string and number in a JSON value, keys included. */
  redactJson<Value extends Json | undefined>(value: Value): Value {
    return this.active ? (this.#walk(value) as Value) : value;
  }

  redactError(error: CallError): CallError {
    if (!this.active) return error;
    return {
      ...error,
      message: this.redact(error.message),
      ...(error.toolCode !== undefined && { toolCode: this.redact(error.toolCode) }),
      ...(error.details !== undefined && { details: this.redactJson(error.details) }),
    };
  }

  /** Redacts a text that comes in chunks. */
  stream(): RedactingStream {
    return new RedactingStream(this);
  }

  #walk(value: Json | undefined): Json | undefined {
    if (typeof value === "string") return this.redact(value);
    if (typeof value === "number") return this.find(String(value)).ranges.length > 0 ? mark : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#walk(item) as Json);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.redact(key), this.#walk(item) as Json]));
  }
}
