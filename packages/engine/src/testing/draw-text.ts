import type { JsonObject } from "../contract/json.ts";

/** A whole number from 0 to `most`. */
export type Draw = (most: number) => number;

const samples: Readonly<Record<string, readonly string[]>> = {
  "date-time": ["2026-11-23T10:00:00Z", "1999-01-01T00:00:00+01:00"],
  date: ["2026-11-23"],
  time: ["10:00:00Z"],
  duration: ["PT1H"],
  email: ["a@example.com"],
  hostname: ["example.com"],
  ipv4: ["192.0.2.1"],
  ipv6: ["2001:db8::1"],
  uri: ["https://example.com/a?b=c", "urn:isbn:0451450523"],
  uuid: ["123e4567-e89b-42d3-a456-426614174000"],
};
const texts = ["a", "two words", "5", "null", '{"a":1}', "[]", "ä €", "line\nbreak", " "];

/** Draws a text by `format`, `pattern` and the lengths of a schema; undefined where the pattern has a form that is not drawn. */
export function drawText(node: JsonObject, draw: Draw): string | undefined {
  if (typeof node.pattern === "string") return drawPattern(node.pattern, draw);
  const formatted = samples[String(node.format)];
  if (formatted) return formatted[draw(formatted.length - 1)]!;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = node;
  const text = Number(minLength) === 0 && draw(4) === 0 ? "" : texts[draw(texts.length - 1)]!;
  return [...text.padEnd(Number(minLength), "x")].slice(0, Number(maxLength)).join("");
}

/** Draws a text that a simple regular expression matches. */
function drawPattern(pattern: string, draw: Draw): string | undefined {
  try {
    const text = new PatternDrawer(pattern, draw).draw();
    return new RegExp(pattern, "u").test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

const sets: Readonly<Record<string, string>> = { d: "0123456789", w: "abcXYZ019_", s: " ", D: "ab-", W: " -.", S: "ab1-" };

/** Reads a pattern once and writes a match: literals, sets, groups, alternatives, counts. Throws on anything else. */
class PatternDrawer {
  readonly #pattern: string;
  readonly #draw: Draw;
  #at = 0;

  constructor(pattern: string, draw: Draw) {
    this.#pattern = pattern;
    this.#draw = draw;
  }

  draw(): string {
    const alternatives = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new Error("unbalanced");
    return alternatives();
  }

  #alternatives(): () => string {
    const found = [this.#sequence()];
    while (this.#pattern[this.#at] === "|") {
      this.#at++;
      found.push(this.#sequence());
    }
    return () => found[this.#draw(found.length - 1)]!();
  }

  #sequence(): () => string {
    const parts: (() => string)[] = [];
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at]!)) parts.push(this.#counted(this.#atom()));
    return () => parts.map((part) => part()).join("");
  }

  #counted(atom: () => string): () => string {
    const count = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at));
    if (!count) return atom;
    this.#at += count[0].length;
    const [, sign, from, comma, to] = count;
    const least = sign ? (sign === "+" ? 1 : 0) : Number(from);
    const most = sign ? (sign === "?" ? 1 : least + 2) : comma ? Number(to || least + 2) : least;
    return () => Array.from({ length: least + this.#draw(Math.min(most - least, 3)) }, atom).join("");
  }

  #atom(): () => string {
    const character = this.#pattern[this.#at++]!;
    if (character === "^" || character === "$") return () => "";
    if (character === ".") return this.#oneOf("aB1-");
    if (character === "[") return this.#set();
    if (character === "(") return this.#group();
    if (character !== "\\") return () => character;
    const escaped = this.#pattern[this.#at++]!;
    if (/[1-9bBkpPuxc]/.test(escaped)) throw new Error("not drawn");
    return escaped in sets ? this.#oneOf(sets[escaped]!) : () => ({ n: "\n", t: "\t", r: "\r" })[escaped] ?? escaped;
  }

  #group(): () => string {
    const kind = /^\?(?::|<[A-Za-z]\w*>)/.exec(this.#pattern.slice(this.#at));
    if (!kind && this.#pattern[this.#at] === "?") throw new Error("not drawn");
    this.#at += kind?.[0].length ?? 0;
    const inner = this.#alternatives();
    this.#at++;
    return inner;
  }

  #set(): () => string {
    const end = /^\^?\]?(?:\\.|[^\]\\])*\]/.exec(this.#pattern.slice(this.#at));
    if (!end) throw new Error("unbalanced");
    const set = new RegExp(`^[${end[0]}$`, "u");
    this.#at += end[0].length;
    const members = Array.from({ length: 95 }, (_, index) => String.fromCharCode(126 - index)).filter((member) => set.test(member));
    return this.#oneOf(members.reverse().join(""));
  }

  #oneOf(members: string): () => string {
    return () => members[this.#draw(members.length - 1)] ?? "";
  }
}
