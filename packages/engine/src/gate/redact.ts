import type { CallError } from "../contract/call.ts";
import type { Json } from "../contract/json.ts";

const mark = "[redacted]";
/** Shorter values would redact ordinary words. */
const shortest = 4;

/** Removes secret values from whatever leaves a call, also base64, URL and JSON encoded (R-TN-4). Costs nothing while there are none. */
export class Redactor {
  #forms: Set<string> | undefined;
  #pattern: RegExp | undefined;
  #longest = 0;

  get active(): boolean {
    return this.#pattern !== undefined;
  }

  add(value: string): void {
    if (value.length < shortest) return;
    this.#forms ??= new Set();
    for (const form of formsOf(value)) {
      this.#forms.add(form);
      this.#longest = Math.max(this.#longest, form.length);
    }
    const alternatives = [...this.#forms].sort((a, b) => b.length - a.length).map(escapePattern);
    this.#pattern = new RegExp(alternatives.join("|"), "g");
  }

  redact(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, mark) : text;
  }

  /** Every string in a JSON value, keys included. */
  redactJson<Value extends Json | undefined>(value: Value): Value {
    return this.active ? (this.#walk(value) as Value) : value;
  }

  redactError(error: CallError): CallError {
    if (!this.active) return error;
    return {
      ...error,
      message: this.redact(error.message),
      ...(error.details !== undefined && { details: this.redactJson(error.details) }),
    };
  }

  /** Redacts a text that comes in chunks: holds back what could be the beginning of a secret until `flush`. */
  stream(): { push(chunk: string): string; flush(): string } {
    let held = "";
    return {
      push: (chunk) => {
        if (!this.active && held === "") return chunk;
        held = this.redact(held + chunk);
        const keep = Math.min(held.length, Math.max(0, this.#longest - 1));
        const ready = held.slice(0, held.length - keep);
        held = held.slice(held.length - keep);
        return ready;
      },
      flush: () => {
        const rest = this.redact(held);
        held = "";
        return rest;
      },
    };
  }

  #walk(value: Json | undefined): Json | undefined {
    if (typeof value === "string") return this.redact(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#walk(item) as Json);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.redact(key), this.#walk(item) as Json]));
  }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const plain = [value, bytes.toString("latin1"), JSON.stringify(value).slice(1, -1), encodeURIComponent(value), bytes.toString("hex")];
  return [...plain, ...base64Forms(bytes)].filter((form) => form.length >= shortest);
}

/** Base64 of a secret inside a longer text depends on its offset modulo three: the part that does not is what is searched. */
function base64Forms(bytes: Buffer): string[] {
  const forms: string[] = [];
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = offset === 0 ? 0 : offset + 1;
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    const core = encoded.slice(start, whole);
    if (core.length >= 6) forms.push(core, core.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
