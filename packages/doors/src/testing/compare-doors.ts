import type { Json, SessionEvent } from "@toolwright/engine";
import { compileForTarget } from "@toolwright/engine/schema";
import type { DoorAdapter, DoorAnswer, OfferedTool } from "./door-adapter.ts";

/** A part in which a door is not as the gate. */
export interface Difference {
  /** `list`, `answer.error`, `events`, `secret`, and below it the first place that differs, as a JSON pointer: `events/1/data/rule`. */
  readonly part: string;
  readonly expected: Json;
  readonly found: Json;
}

const idForm = /\b([a-z]{2,5})_[A-Za-z0-9_-]{22}/g;
/** Members that differ from one run of the same call to the next. */
const volatile = new Set(["durationMs", "expiresAt", "posture", "at"]);

const timeForm = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Milliseconds: a number that is a time in two days around now is one of this run. */
const nearMs = 24 * 60 * 60 * 1000;

/** The same value for two runs of one call: ids, times and durations are no difference between doors. */
function withoutChance(value: unknown, now: number): Json {
  const read = JSON.stringify(value ?? null, (key, member) => {
    if (volatile.has(key)) return undefined;
    return typeof member === "number" && Math.abs(member - now) < nearMs ? "a time of this run" : member;
  });
  return JSON.parse(read.replace(idForm, "$1_id").replace(timeForm, "a time")) as Json;
}

const same = (one: Json, other: Json) => canonical(one) === canonical(other);

function canonical(value: Json): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}

function differenceIn(part: string, expected: unknown, found: unknown): readonly Difference[] {
  if (JSON.stringify(expected) === JSON.stringify(found)) return [];
  const now = Date.now();
  const [one, other] = [withoutChance(expected, now), withoutChance(found, now)];
  return same(one, other) ? [] : [firstDifference(part, one, other)];
}

/** Goes down while one member alone differs. */
function firstDifference(part: string, expected: Json, found: Json): Difference {
  if (typeof expected === "object" && expected !== null && typeof found === "object" && found !== null) {
    const [one, other] = [expected as Record<string, Json>, found as Record<string, Json>];
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    const differing = names.filter((name) => !same(one[name] ?? null, other[name] ?? null));
    const [name] = differing;
    if (name !== undefined && differing.length === 1) return firstDifference(`${part}/${name}`, one[name] ?? null, other[name] ?? null);
  }
  return { part, expected, found };
}

/** The list of a door beside that of the gate, in the words of the door's target. */
export function compareLists(
  expected: readonly OfferedTool[],
  found: readonly OfferedTool[],
  { target }: Pick<DoorAdapter, "target">,
): readonly Difference[] {
  const names = (tools: readonly OfferedTool[]) => tools.map(({ name }) => name);
  const listed = differenceIn("list", names(expected), names(found));
  if (listed.length > 0) return listed;
  return expected.flatMap((tool, index) => {
    const { name, description, inputSchema } = tool;
    const schema = target === undefined ? inputSchema : compileForTarget(tool, target).inputSchema;
    const offered = found[index];
    // A door may add examples to a description.
    const said = offered?.description.startsWith(description) ? description : offered?.description;
    return [
      ...differenceIn(`schema of ${name}`, schema, offered?.inputSchema),
      ...differenceIn(`description of ${name}`, description, said),
    ];
  });
}

const parts = [
  "status",
  "output",
  "error",
  "decision",
  "approval",
  "repaired",
  "cut",
  "notes",
  "artifacts",
] as const satisfies readonly (keyof DoorAnswer)[];

export function compareAnswers(
  expected: DoorAnswer,
  found: DoorAnswer,
  { leavesOut = {} }: Pick<DoorAdapter, "leavesOut">,
): readonly Difference[] {
  return parts.flatMap((part) => (leavesOut[part] === undefined ? differenceIn(`answer.${part}`, expected[part], found[part]) : []));
}

/** What the log holds of one call: of a door it holds nothing more and nothing else. */
export function compareEvents(expected: readonly SessionEvent[], found: readonly SessionEvent[]): readonly Difference[] {
  return differenceIn("events", expected.map(toFact), found.map(toFact));
}

function toFact({ type, tenant, actor, agent, tool, data }: SessionEvent) {
  return { type, tenant, actor, agent, tool, data };
}
