import type { CallError } from "../../contract/call.ts";
import { asJson, type Json, type JsonShape } from "../../contract/json.ts";
import type { RedactStream } from "../../ports/capability.ts";
import { formsOf } from "./redact-forms.ts";
import { beginningAtEnd, findForms, type Range } from "./redact-ranges.ts";

/** Shorter values would redact ordinary words. */
const shortest = 4;

/** Fewer characters at the end of a file that was cut say nothing. */
const telling = 4;

const noForms: readonly string[] = [];

/** Characters of a sensitive member that is looked for in each of its forms, also where it comes in pieces. A longer one is looked for as text and JSON. */
const longestMember = 2_048;

/** What a redactor leaves as it is: a sensitive member of an output, for the caller. */
export class Spared {
  readonly value: Json;

  constructor(value: Json) {
    this.value = value;
  }
}

/** Removes secret values, in each of their forms, from whatever leaves a call (R-TN-4, R-SM-1). Costs nothing while there are none. */
export class Redactor {
  /** Forms of secrets and of sensitive members: taken out of every text. */
  #forms = noForms;
  /** Forms of long sensitive members: taken out of texts that come whole. */
  #long = noForms;
  #secrets: readonly string[] = [];

  get active(): boolean {
    return this.#forms.length > 0 || this.#long.length > 0;
  }

  add(value: string): void {
    if (value.length < shortest) return;
    this.#secrets = [...this.#secrets, value];
    this.#forms = [...new Set([...this.#forms, ...formsOf(value)])];
  }

  /** Adds a sensitive member of the input. */
  addMember(value: string): void {
    if (value.length < shortest) return;
    if (value.length > longestMember) this.#long = [...new Set([...this.#long, value, JSON.stringify(value).slice(1, -1)])];
    else this.#forms = [...new Set([...this.#forms, ...formsOf(value)])];
  }

  /** Takes out secrets alone: what a caller gave may come back to it. */
  get ofSecrets(): Redactor {
    const secrets = new Redactor();
    for (const value of this.#secrets) secrets.add(value);
    return secrets;
  }

  /** Where secrets stand in the text, in order and apart from one another; what is known already is among them. */
  find(text: string, known?: readonly Range[]): readonly Range[] {
    return findForms(text, this.#long.length > 0 ? [...this.#forms, ...this.#long] : this.#forms, known);
  }

  /** How many characters at the end of the text may be the beginning of a secret. */
  beginning(text: string): number {
    return beginningAtEnd(text, this.#forms, 1);
  }

  redact(text: string): string {
    if (!this.active) return text;
    let redacted = "";
    let at = 0;
    for (const [start, end] of this.find(text)) {
      redacted += text.slice(at, start) + mark;
      at = end;
    }
    return at === 0 ? text : redacted + text.slice(at);
  }

  /** Latin-1 carries every byte as one character. */
  redactBytes(bytes: Uint8Array, { isCut }: { readonly isCut: boolean }): Uint8Array {
    if (!this.active) return bytes;
    const text = Buffer.from(bytes).toString("latin1");
    const kept = isCut ? text.length - beginningAtEnd(text, this.#forms, telling) : text.length;
    return Buffer.from(this.redact(text.slice(0, kept)), "latin1");
  }

  /** Every string and number in a JSON value, keys included. */
  redactJson<Value>(value: Value & JsonShape<Value>): Value {
    return this.active ? (this.#walk(asJson(value)) as Value) : value;
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
  stream(): RedactStream {
    return new RedactingStream(this);
  }

  #walk(value: Json | undefined): Json | undefined {
    if (typeof value === "string") return this.redact(value);
    if (typeof value === "number") return this.find(String(value)).length > 0 ? mark : value;
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Spared) return value.value;
    if (Array.isArray(value)) return value.map((item) => this.#walk(item) as Json);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.redact(key), this.#walk(item) as Json]));
  }
}

/** What stands where a secret stood. */
export const mark = "[redacted]";

/** What finds the secrets: more of them may come while the text does. */
interface Finder {
  readonly active: boolean;
  beginning(text: string): number;
  find(text: string, known?: readonly Range[]): readonly Range[];
}

/** Redacts a text that comes in chunks as if it had come whole: holds back what could be the beginning of a secret until `flush`. */
class RedactingStream implements RedactStream {
  readonly #finder: Finder;
  /** As it came. */
  #held = "";
  /** How much of the beginning of `#held` belongs to a mark that is out already; undefined when the text before it was no secret. */
  #marked: number | undefined;

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  push(chunk: string): string {
    if (!this.#finder.active) return chunk;
    this.#held += chunk;
    return this.#release(this.#held.length - this.#finder.beginning(this.#held));
  }

  flush(): string {
    const rest = this.#release(this.#held.length);
    this.#marked = undefined;
    return rest;
  }

  /** Gives what stands before `until`. A secret that begins there has been seen whole; one that ends after it stays known. */
  #release(until: number): string {
    if (until <= 0) return "";
    const known: readonly Range[] = this.#marked === undefined ? [] : [[0, this.#marked]];
    let released = "";
    let at = 0;
    let ended: number | undefined;
    for (const [start, end] of this.#finder.find(this.#held, known)) {
      if (start >= until) break;
      const isOut = start === 0 && this.#marked !== undefined;
      released += this.#held.slice(at, start) + (isOut ? "" : mark);
      at = end;
      ended = end;
    }
    released += this.#held.slice(at, Math.max(at, until));
    this.#held = this.#held.slice(until);
    this.#marked = ended !== undefined && ended >= until ? ended - until : undefined;
    return released;
  }
}
