import { ToolwrightError } from "../contract/errors.ts";
import { portablePattern } from "./portable-pattern.ts";

/** A regular expression that says whether a text holds a match, in time that grows with the text alone. */
export interface LinearPattern {
  readonly source: string;
  /** Throws `input_too_large` once the patterns of one synchronous stretch took more steps than it affords. */
  test(text: string): boolean;
}

/** Why a pattern cannot be held in linear time, and what to do: two sentences. */
interface PatternRefusal {
  readonly problem: string;
  readonly fix: string;
}

/** Compiles a pattern of JSON Schema: ECMAScript with the flag `u`; spellings that only other modes know are taken where they mean the same. */
export function linearPattern(source: string): LinearPattern | PatternRefusal {
  try {
    return new StateMachine(source, new PatternCompiler(spell(source)).compile());
  } catch (error) {
    if (error instanceof Unheld) return { problem: error.problem, fix: error.fix };
    throw error;
  }
}

/** What no machine of states can hold. */
class Unheld extends Error {
  readonly problem: string;
  readonly fix: string;

  constructor(problem: string, fix: string) {
    super(problem);
    this.problem = problem;
    this.fix = fix;
  }
}

const mostCharacters = 20_000;
const mostStates = 20_000;
const mostDepth = 200;

function spell(source: string): string {
  if (source.length > mostCharacters) throw new Unheld(`is longer than ${mostCharacters} characters`, "Shorten it.");
  if (isExpression(source, "u")) return source;
  const spelled = portablePattern(source);
  if (spelled !== undefined) return spelled;
  if (isExpression(source, ""))
    throw new Unheld("means something only without the flag u", "Escape only characters that have a meaning, and write look-around out.");
  throw new Unheld("is no regular expression", "Correct it.");
}

function isExpression(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

type Assertion = "start" | "end" | "word" | "inside";

/** One instruction of a machine; numbers are places of others. */
type State =
  | { readonly kind: "character"; readonly has: (point: number) => boolean }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | Split
  | { readonly kind: "match" };

interface Split {
  readonly kind: "split";
  targets: readonly number[];
}

/** Writes the states of a part of a pattern: the last of them goes on to the one that is written next. */
type Part = () => void;

const assertions = new Map<string, Assertion>([
  ["^", "start"],
  ["$", "end"],
  ["\\b", "word"],
  ["\\B", "inside"],
]);
/** One character, as an escape: two halves of a pair are one. */
const escaped =
  /\\(?:u\{[\da-fA-F]+\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)/suy;
const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const group = /\((?:\?(:|<(?![=!])[^>]*>|.))?/suy;
const forLookAround = "Say it with several patterns in allOf, or check it where the tool runs.";

/** Reads a pattern that is valid with the flag `u`. What stands for one character is left to the engine of JavaScript, character by character. */
class PatternCompiler {
  readonly #source: string;
  readonly #states: State[] = [];
  readonly #sets = new Map<string, (point: number) => boolean>();
  #at = 0;
  #written = 0;

  constructor(source: string) {
    this.#source = source;
  }

  compile(): readonly State[] {
    this.#write(this.#alternatives(0));
    this.#states.push({ kind: "match" });
    return this.#states;
  }

  /** Counts empty parts, too, as a count can stand at nothing. */
  #write(part: Part): void {
    this.#written += 1;
    if (this.#written > 4 * mostStates || this.#states.length > mostStates)
      throw new Unheld(`has counts that make it larger than ${mostStates} states`, "Lower its counts, or use minLength and maxLength.");
    part();
  }

  #alternatives(depth: number): Part {
    if (depth > mostDepth) throw new Unheld(`nests groups deeper than ${mostDepth} levels`, "Write it flatter.");
    const branches = [this.#sequence(depth)];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      branches.push(this.#sequence(depth));
    }
    if (branches.length === 1) return branches[0]!;
    return () => {
      const split = this.#split();
      const targets: number[] = [];
      const ends: Split[] = [];
      for (const branch of branches) {
        targets.push(this.#states.length);
        this.#write(branch);
        ends.push(this.#split());
      }
      split.targets = targets;
      for (const end of ends) end.targets = [this.#states.length];
    };
  }

  #sequence(depth: number): Part {
    const parts: Part[] = [];
    for (let next = this.#source[this.#at]; next !== undefined && next !== "|" && next !== ")"; next = this.#source[this.#at])
      parts.push(this.#quantified(this.#atom(depth)));
    return () => {
      for (const part of parts) this.#write(part);
    };
  }

  #atom(depth: number): Part {
    const two = this.#source.slice(this.#at, this.#at + 2);
    const assertion = assertions.get(two) ?? assertions.get(two[0]!);
    if (assertion) {
      this.#at += assertions.has(two) ? 2 : 1;
      return () => this.#states.push({ kind: "assertion", assertion });
    }
    if (two[0] === "(") return this.#group(depth);
    const atom =
      two[0] === "\\" ? this.#escape() : two[0] === "[" ? this.#set() : String.fromCodePoint(this.#source.codePointAt(this.#at)!);
    this.#at += atom.length;
    const has = this.#membersOf(atom);
    return () => this.#states.push({ kind: "character", has });
  }

  #group(depth: number): Part {
    const [whole, kind] = this.#take(group)!;
    if (kind !== undefined && kind !== ":" && kind.length === 1)
      throw new Unheld(/[=!<]/.test(kind) ? "looks ahead or behind" : "sets flags for a part", forLookAround);
    this.#at += whole.length;
    const inner = this.#alternatives(depth + 1);
    this.#at += 1;
    return inner;
  }

  #escape(): string {
    const [atom] = this.#take(escaped)!;
    if (/^\\[1-9k]/.test(atom)) throw new Unheld("refers back to what a group matched", forLookAround);
    return atom;
  }

  #set(): string {
    let end = this.#at + 1;
    while (this.#source[end] !== "]") end += this.#source[end] === "\\" ? 2 : 1;
    return this.#source.slice(this.#at, end + 1);
  }

  #membersOf(atom: string): (point: number) => boolean {
    const known = this.#sets.get(atom);
    if (known) return known;
    const expression = new RegExp(`^${atom}$`, "u");
    const isLiteral = !/^[\\.[]/.test(atom);
    const has = isLiteral
      ? (point: number) => point === atom.codePointAt(0)
      : (point: number) => expression.test(String.fromCodePoint(point));
    this.#sets.set(atom, has);
    return has;
  }

  /** Whether it is lazy does not change what it matches. */
  #quantified(part: Part): Part {
    const found = this.#take(quantifier);
    if (!found) return part;
    const [whole, sign, count, comma, limit] = found;
    this.#at += whole.length;
    const least = sign === undefined ? Number(count) : sign === "+" ? 1 : 0;
    const most = sign === "?" ? 1 : sign !== undefined || (comma && !limit) ? Number.POSITIVE_INFINITY : Number(limit ?? count);
    return () => this.#repeat(part, least, most);
  }

  #repeat(part: Part, least: number, most: number): void {
    for (let at = 0; at < least; at += 1) this.#write(part);
    if (most === Number.POSITIVE_INFINITY) {
      const start = this.#states.length;
      const loop = this.#split();
      this.#write(part);
      this.#split().targets = [start];
      loop.targets = [start + 1, this.#states.length];
      return;
    }
    const exits: Split[] = [];
    for (let at = least; at < most; at += 1) {
      const exit = this.#split();
      exit.targets = [this.#states.length];
      exits.push(exit);
      this.#write(part);
    }
    for (const exit of exits) exit.targets = [...exit.targets, this.#states.length];
  }

  #split(): Split {
    const split: Split = { kind: "split", targets: [] };
    this.#states.push(split);
    return split;
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    return expression.exec(this.#source);
  }
}

/** What stands before a place: nothing, or a character that is part of a word or not. */
type Before = "start" | "word" | "other";

/** States that a machine is in at one place, before it knows the character there. Found again by its states, so that ordinary texts cost a look-up each. */
interface Situation {
  readonly states: readonly number[];
  readonly before: Before;
  /** By code point; -1 is the end of the text. True: a match ends here. */
  readonly next: Map<number, Situation | true>;
}

const end = -1;
/** States and transitions that are remembered. */
const mostRemembered = 50_000;

class StateMachine implements LinearPattern {
  readonly source: string;
  readonly #states: readonly State[];
  readonly #marks: Uint32Array;
  #mark = 0;
  #situations = new Map<string, Situation>();
  #remembered = 0;

  constructor(source: string, states: readonly State[]) {
    this.source = source;
    this.#states = states;
    this.#marks = new Uint32Array(states.length);
  }

  test(text: string): boolean {
    let situation = this.#situationOf([0], "start");
    for (let at = 0; at < text.length; ) {
      const point = text.codePointAt(at)!;
      spend(1, this, text);
      const next = situation.next.get(point) ?? this.#advance(situation, point, text);
      if (next === true) return true;
      situation = next;
      at += point > 0xffff ? 2 : 1;
    }
    return (situation.next.get(end) ?? this.#advance(situation, end, text)) === true;
  }

  #advance(from: Situation, point: number, text: string): Situation | true {
    if (this.#remembered > mostRemembered) {
      this.#situations = new Map();
      this.#remembered = 0;
    }
    const pending = [...from.states];
    const after = new Set<number>();
    const isWord = isWordCharacter(point);
    this.#mark += 1;
    let steps = 0;
    let isMatch = false;
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      steps += 1;
      if (this.#marks[place] === this.#mark) continue;
      this.#marks[place] = this.#mark;
      const state = this.#states[place]!;
      if (state.kind === "split") pending.push(...state.targets);
      else if (state.kind === "match") isMatch = true;
      else if (state.kind === "assertion") {
        if (holds(state.assertion, from.before, { isEnd: point === end, isWord })) pending.push(place + 1);
      } else if (point !== end && state.has(point)) after.add(place + 1);
    }
    spend(steps, this, text);
    // A match may begin at every place of the text.
    const next =
      isMatch ||
      this.#situationOf(
        [...after.add(0)].sort((a, b) => a - b),
        isWord ? "word" : "other",
      );
    from.next.set(point, next);
    this.#remembered += 1;
    return next;
  }

  #situationOf(states: readonly number[], before: Before): Situation {
    const key = `${before} ${states.join()}`;
    const known = this.#situations.get(key);
    if (known) return known;
    const made: Situation = { states, before, next: new Map() };
    this.#situations.set(key, made);
    this.#remembered += states.length;
    return made;
  }
}

const isWordCharacter = (point: number) =>
  (point > 0x60 && point < 0x7b) || (point > 0x40 && point < 0x5b) || (point > 0x2f && point < 0x3a) || point === 0x5f;

function holds(assertion: Assertion, before: Before, after: { readonly isEnd: boolean; readonly isWord: boolean }): boolean {
  if (assertion === "start") return before === "start";
  if (assertion === "end") return after.isEnd;
  return ((before === "word") !== after.isWord) === (assertion === "word");
}

/** Steps of all patterns in one synchronous stretch: a tenth of a second on a slow machine. */
export const mostPatternSteps = 10_000_000;
let spent = 0;

function spend(steps: number, { source }: LinearPattern, text: string): void {
  if (spent === 0) queueMicrotask(resetSteps);
  spent += steps;
  if (spent <= mostPatternSteps) return;
  const shown = source.length > 100 ? `${source.slice(0, 100)}…` : source;
  throw new ToolwrightError(
    "input_too_large",
    `A text of ${text.length} characters takes more than ${mostPatternSteps} steps to compare with the pattern ${JSON.stringify(shown)}. ` +
      "Send a shorter text, or give the schema a pattern without large counts.",
  );
}

/** The steps that patterns took in this synchronous stretch so far. */
export const patternSteps = (): number => spent;

function resetSteps(): void {
  spent = 0;
}
