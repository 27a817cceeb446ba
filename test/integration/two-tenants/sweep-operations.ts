import type { JsonObject } from "@toolwright/engine";
import type { Operation } from "@toolwright/engine/operations";
import { answerOf } from "./compare-answers.ts";
import { sampleObject, sampleOf, textMembersOf } from "./sample-input.ts";

/** Something of the owner's of which another person has learned the id or the name. */
export interface Learned {
  readonly kind: string;
  readonly id: string;
  /** An id of the same form that nobody has, another one each time. */
  missing(): string;
  /** The thing as its owner sees it. */
  look(): Promise<string>;
}

/** An operation as the other person uses it. */
export interface Use {
  readonly operation: string;
  readonly input: JsonObject;
  /** What the person calls the session that it is used in; undefined: a session of their own. */
  readonly session?: string;
  readonly isStream: boolean;
}

export interface Sweep {
  readonly operations: readonly Operation[];
  readonly learned: readonly Learned[];
  use(use: Use): Promise<unknown>;
}

export interface Swept {
  /** What the other person learned or changed, each with the operation. */
  readonly openings: readonly string[];
  /** Operations that read none of the inputs, so that the sweep says nothing of them: they need a line in `fills`. */
  readonly unread: readonly string[];
}

const later = () => Date.now() + 3_600_000;

/** Members without which an operation refuses its input before it looks anything up. */
export const fills: Readonly<Record<string, () => JsonObject>> = {
  "grants.create": () => ({ tool: "pay", allows: [{ kind: "input", digest: "d" }], scope: "agent" }),
  "jobs.enqueue": () => ({ tool: "pay", input: { euros: 5 }, runAt: later() }),
  "schedules.create": () => ({ tool: "pay", input: { euros: 5 }, when: { at: later() } }),
  "rooms.create": () => ({ agent: "shared" }),
};

/** Gives every id and name to every member of every operation that may hold a text, and compares each answer with that for one which nobody has. */
export async function sweepOperations({ operations, learned, use }: Sweep): Promise<Swept> {
  const openings: string[] = [];
  const unread: string[] = [];
  const stateOf = async () =>
    new Map(await Promise.all(learned.map(async ({ kind, id, look }) => [`${kind} ${id}`, await look()] as const)));
  const sweep = async (operation: Operation, ways: readonly Way[]) => {
    const before = operation.effect === "read" ? undefined : await stateOf();
    const nobodys = await Promise.all(ways.map(({ useWith }) => answerOf(() => use(useWith(nobody)), nobody)));
    if (ways.length > 0 && nobodys.every((answer) => answer.includes('"code":"invalid_input"'))) unread.push(operation.name);
    const look = async ({ member, useWith }: Way, nobodysAnswer: string | undefined, { kind, id, missing }: Learned) => {
      const ask = (each: string) => answerOf(() => use(useWith(each)), each);
      const foreign = await ask(id);
      // Ids of other forms may be answered in another way.
      if (foreign !== nobodysAnswer && foreign !== (await ask(missing()))) openings.push(`${operation.name} tells by ${member} of ${kind}`);
    };
    await Promise.all(ways.flatMap((way, index) => learned.map((thing) => look(way, nobodys[index], thing))));
    const after = before && (await stateOf());
    for (const [thing, state] of before ?? [])
      if (after?.get(thing) !== state) openings.push(`${operation.name} changes ${thing.slice(0, thing.indexOf(" "))}`);
  };
  for (const operation of operations) await sweep(operation, [...waysToAsk(operation)]);
  // Last: it makes sessions of these names.
  for (const operation of operations.filter(({ name }) => name === "sessions.create")) await sweep(operation, [inSession(operation)]);
  return { openings: [...new Set(openings)].sort(), unread };
}

const nobody = "nobody-has-this";

interface Way {
  readonly member: string;
  useWith(id: string): Use;
}

const baseOf = ({ name, input: { json } }: Operation): JsonObject => ({
  ...sampleObject(json, { text: () => "x", isShort: true }),
  ...fills[name]?.(),
});

/** All operations that change something find their sessions in the same way, so one of them is enough. */
const inSession = (operation: Operation): Way => ({
  member: "the session",
  useWith: (session) => ({ operation: operation.name, input: baseOf(operation), session, isStream: false }),
});

/** By each member of the input in which a text stands, as a request and as a stream. */
function* waysToAsk(operation: Operation): Generator<Way> {
  const {
    name,
    input: { json },
    follow,
  } = operation;
  for (const [member, schema] of Object.entries((json.properties ?? {}) as Readonly<Record<string, JsonObject>>)) {
    if (textMembersOf(schema, member).length === 0) continue;
    const inputWith = (id: string) => ({ ...baseOf(operation), [member]: sampleOf(schema, { text: () => id }) });
    for (const isStream of follow ? [false, true] : [false])
      yield { member, useWith: (id) => ({ operation: name, input: inputWith(id), isStream }) };
  }
}
