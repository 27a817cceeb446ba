import { formatPath } from "@toolwright/engine/policy";
import type { LocatedProblem, MemberPath, PolicyPosition, PolicyText } from "./read-policy-text.ts";

type Members = Record<string, unknown>;

/** Members of one or several files, which know where each came from. */
export interface JoinedMembers {
  readonly value: Members;
  readonly origins: ReadonlyMap<string, Origin>;
}

interface Origin {
  readonly text: PolicyText;
  readonly path: MemberPath;
}

const keyOf = (path: MemberPath) => JSON.stringify(path);
const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);
/** What speaks of a file itself, not of the policy. */
const ofTheFile = new Set(["include", "$schema", "version"]);

/** The members of one valid file. */
export function membersOf(text: PolicyText): JoinedMembers {
  const members = Object.entries(text.value as Members).filter(([key]) => !ofTheFile.has(key));
  const joining = new Joining();
  joining.add({ value: Object.fromEntries(members), originOf: (path) => ({ text, path }) }, true);
  return joining;
}

/** Joins what a file includes with its own members: lists are joined, and of single values the file's own holds. Included files that contradict each other are problems. */
export function joinFiles(
  included: readonly JoinedMembers[],
  own: JoinedMembers,
): { readonly joined: JoinedMembers; readonly problems: readonly LocatedProblem[] } {
  const joining = new Joining();
  for (const each of included) joining.add(fromJoined(each), false);
  joining.add(fromJoined(own), true);
  return { joined: joining, problems: joining.problems() };
}

interface Added {
  readonly value: Members;
  originOf(path: MemberPath): Origin;
}

const fromJoined = ({ value, origins }: JoinedMembers): Added => ({ value, originOf: (path) => findOrigin(origins, path) as Origin });

class Joining implements JoinedMembers {
  readonly value: Members = {};
  readonly origins = new Map<string, Origin>();
  readonly #contradictions = new Map<string, LocatedProblem>();

  add(added: Added, wins: boolean): void {
    this.#join(this.value, added.value, { path: [], added, wins });
  }

  problems(): readonly LocatedProblem[] {
    return [...this.#contradictions.values()];
  }

  #join(into: Members, from: Members, at: { readonly path: MemberPath; readonly added: Added; readonly wins: boolean }): void {
    for (const [key, value] of Object.entries(from)) {
      const path = [...at.path, key];
      const before = into[key];
      if (isMembers(value) && isMembers(before)) this.#join(before, value, { ...at, path });
      else if (isMembers(value)) this.#join(define(into, key, {}), value, { ...at, path });
      else if (Array.isArray(value)) this.#append(into, value, { path, added: at.added });
      else this.#set(into, value, { ...at, path });
    }
  }

  #append(into: Members, items: readonly unknown[], { path, added }: { readonly path: MemberPath; readonly added: Added }): void {
    const key = String(path.at(-1));
    const list = (into[key] ?? define(into, key, [])) as unknown[];
    if (!this.origins.has(keyOf(path))) this.origins.set(keyOf(path), added.originOf(path));
    for (const [index, item] of items.entries()) {
      this.origins.set(keyOf([...path, list.length]), added.originOf([...path, index]));
      list.push(item);
    }
  }

  #set(into: Members, value: unknown, at: { readonly path: MemberPath; readonly added: Added; readonly wins: boolean }): void {
    const key = keyOf(at.path);
    const name = String(at.path.at(-1));
    const before = this.origins.get(key);
    const origin = at.added.originOf(at.path);
    if (at.wins) this.#contradictions.delete(key);
    else if (before && into[name] !== value) {
      const other = before.text.positionOf(before.path);
      const text = `${formatPath(at.path)}: ${JSON.stringify(value)} contradicts ${JSON.stringify(into[name])} at ${describePosition(other)}. Say which holds in the file that includes both.`;
      this.#contradictions.set(key, { ...origin.text.positionOf(origin.path), text });
    }
    define(into, name, value);
    this.origins.set(key, origin);
  }
}

/** A member named `__proto__` is a member like any other. */
function define<Value>(into: Members, key: string, value: Value): Value {
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  return value;
}

/** The place of a member of joined files: that of the nearest one around it that is known. */
export function positionOf({ origins }: JoinedMembers, path: MemberPath): PolicyPosition | undefined {
  const origin = findOrigin(origins, path);
  return origin?.text.positionOf(origin.path);
}

function findOrigin(origins: ReadonlyMap<string, Origin>, path: MemberPath): Origin | undefined {
  for (let length = path.length; length > 0; length--) {
    const origin = origins.get(keyOf(path.slice(0, length)));
    if (origin) return { text: origin.text, path: [...origin.path, ...path.slice(length)] };
  }
  const within = [...origins].find(([key]) => key.startsWith(keyOf(path).slice(0, -1)));
  return within && { text: within[1].text, path };
}

export const describePosition = ({ file, line, column }: PolicyPosition) => `${file}:${line}:${column}`;
