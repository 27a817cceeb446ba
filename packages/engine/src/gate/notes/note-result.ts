import type { ArtifactRef, CallResult, Repair, Truncation } from "../../contract/call.ts";
import { isPlainObject, type JsonObject } from "../../contract/json.ts";
import { protectionWords } from "../../contract/protection-note.ts";
import type { Clock } from "../../ports/clock.ts";
import { propertiesOf } from "../../schema/schema-node.ts";
import type { Call } from "../call.ts";
import { explainBoundary, wrapMembers } from "../foreign/boundary.ts";
import type { GateParts, ReportedGaps } from "../gate-parts.ts";

/** Notes of each kind; further ones are counted. */
const mostOfKind = 5;
const longestNote = 600;
/** Characters of gaps in the protection; the posture holds them all, and a model can do nothing about them. */
const longestGaps = 100;

/** A call that another one answers passes here twice. */
const noted = new WeakSet<CallResult>();

/** Adds what the caller has to know beside the answer, in sentences (law 5). A result without it stays as it is. */
export function noteResult(call: Call, result: CallResult, parts: Pick<GateParts, "reportedGaps">): CallResult {
  if (isPlain(result) || noted.has(result)) return result;
  const notes = [
    ...noteCuts(result.status === "done" ? result.truncations : []),
    ...(result.notes ?? []),
    ...noteRepairs(result.repairs),
    ...result.anomalies.map(({ message }) => message),
    ...noteArtifacts(result),
    ...noteProtection(call, result, parts),
  ];
  if (notes.length === 0) return result;
  const written: CallResult = { ...result, notes: [...new Set(notes.map(shorten))] };
  noted.add(written);
  return written;
}

/** Most are: nothing is made to find that out. */
function isPlain(result: CallResult): boolean {
  const { repairs, anomalies, artifacts, notes, posture } = result;
  const isWhole = result.status !== "done" || result.truncations.length === 0;
  return isWhole && !posture && !notes?.length && !artifacts?.length && repairs.length === 0 && anomalies.length === 0;
}

function noteRepairs(repairs: readonly Repair[]): string[] {
  const said = repairs.slice(0, mostOfKind).map(({ path, what }) => `The input was repaired at ${path || "/"}: ${what}`);
  return repairs.length > said.length ? [...said, `The input was repaired in ${repairs.length - said.length} more places.`] : said;
}

/** All cuts of one output have the same whole. */
function noteCuts(truncations: readonly Truncation[]): string[] {
  const first = truncations[0];
  if (!first) return [];
  const said = truncations
    .slice(0, mostOfKind)
    .map(({ path, kept, total, unit }) => `${path || "/"} (${kept} of ${total} ${unit} are here)`);
  const more = truncations.length > said.length ? ` and ${truncations.length - said.length} more places` : "";
  const wholes = [...new Set(truncations.map(({ artifact }) => artifact))];
  const where = wholes.map((artifact) => (artifact === undefined ? "The whole could not be kept." : `The whole is artifact ${artifact}.`));
  return [`The output was cut: ${said.join(", ")}${more}. ${where.join(" ")}`];
}

/** Those that neither the output nor a cut names: a client may drop the links to them. */
function noteArtifacts(result: CallResult): string[] {
  const { artifacts = [] } = result;
  if (artifacts.length === 0) return [];
  const known = JSON.stringify(result.status === "done" ? [result.output, result.truncations, result.notes] : (result.notes ?? []));
  const unnamed = artifacts.filter(({ id }) => !known.includes(id));
  const said = unnamed.slice(0, mostOfKind).map(nameArtifact);
  return unnamed.length > said.length ? [...said, `${unnamed.length - said.length} more artifacts were kept.`] : said;
}

function nameArtifact({ id, name, mediaType, size }: ArtifactRef): string {
  return `Artifact ${id} holds ${JSON.stringify(name)} (${mediaType}, ${size} bytes).`;
}

/** Once a session, since it is the same for every run there; the posture of each run is in its result and in the log. */
function noteProtection(call: Call, { posture, status }: CallResult, { reportedGaps }: Pick<GateParts, "reportedGaps">): string[] {
  if (!posture || status === "cancelled") return [];
  const gaps = reportedGaps.tell(call, posture.gaps);
  if (gaps.length === 0) return [];
  let room = longestGaps;
  const said = gaps.filter((gap) => {
    room -= gap.length;
    return room >= 0;
  });
  const rest = gaps.length - said.length;
  const more = `${rest}${said.length > 0 ? " more" : ""} ${rest === 1 ? "gap" : "gaps"}, listed in the posture of this result.`;
  return [`${protectionWords} (${posture.runtime}): ${[...said, ...(rest > 0 ? [more] : [])].join(" ")}`];
}

function shorten(note: string): string {
  return note.length <= longestNote ? note : `${note.slice(0, longestNote).toWellFormed()} …`;
}

/** Milliseconds after which a gap is told again: one session may outlive many conversations. */
const repeatMs = 60 * 60 * 1000;
const maxSessions = 10_000;
const maxGaps = 64;

/** Keeps what each session was told in the memory of this process. */
export class SessionGaps implements ReportedGaps {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  tell({ principal, session }: Pick<Call, "principal" | "session">, gaps: readonly string[]): readonly string[] {
    if (gaps.length === 0) return gaps;
    const now = this.#clock.now();
    const known = this.#open(JSON.stringify([principal.tenant, principal.actor, principal.agent ?? null, session]));
    const unheard = [...new Set(gaps)].filter((gap) => {
      const at = known.get(gap);
      return at === undefined || now < at || now - at >= repeatMs;
    });
    for (const gap of unheard) {
      known.delete(gap);
      known.set(gap, now);
    }
    dropOldest(known, maxGaps);
    return unheard;
  }

  /** Moves the session to the end, so that the one that ran nothing for longest is forgotten first. */
  #open(key: string): Map<string, number> {
    const known = this.#sessions.get(key) ?? new Map<string, number>();
    this.#sessions.delete(key);
    this.#sessions.set(key, known);
    dropOldest(this.#sessions, maxSessions);
    return known;
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

interface NotedSchema {
  readonly schema: JsonObject;
  /** Undefined where the schema leaves no room for a member of ours. */
  readonly member: string | undefined;
}

const madeSchemas = new WeakMap<JsonObject, NotedSchema>();
const notesSchema: JsonObject = { type: "array", items: { type: "string" }, description: "Repairs, cuts and limits of this call." };
/** Root keywords that judge all members together. */
const aboutAll = ["allOf", "anyOf", "oneOf", "not", "$ref", "patternProperties"];

/**
 * The schema of a tool's output with room for the notes of a call, for clients that give a model nothing but the structured output. The member is
 * `notes`, or `toolwrightNotes` beside a member of the tool's own of that name.
 */
export function notedSchema(outputSchema: JsonObject): JsonObject {
  return withNotes(outputSchema).schema;
}

/** The structured output of a call that is done, for a model, what is foreign in it inside its boundary. Its notes come first: what is cut again in the middle or at the end still shows them. */
export function notedOutput(result: Extract<CallResult, { status: "done" }>, outputSchema: JsonObject | undefined): JsonObject {
  const { foreign, notes = [] } = result;
  const output = foreign ? wrapMembers(result.output as JsonObject, foreign) : (result.output as JsonObject);
  const said = foreign ? [explainBoundary(foreign), ...notes] : notes;
  const member = outputSchema && withNotes(outputSchema).member;
  if (said.length === 0 || member === undefined || !isPlainObject(output) || Object.hasOwn(output, member)) return output;
  return { [member]: [...said], ...output };
}

function withNotes(outputSchema: JsonObject): NotedSchema {
  const known = madeSchemas.get(outputSchema);
  if (known) return known;
  const fresh = addNotes(outputSchema);
  madeSchemas.set(outputSchema, fresh);
  return fresh;
}

function addNotes(outputSchema: JsonObject): NotedSchema {
  if (aboutAll.some((keyword) => outputSchema[keyword] !== undefined)) return { schema: outputSchema, member: undefined };
  // Rules on all names and on their number would count ours.
  const { propertyNames: _, maxProperties: __, ...rest } = outputSchema;
  const members = propertiesOf(outputSchema);
  const own = new Set(members.map(([name]) => name));
  const isOpen = outputSchema.additionalProperties !== false;
  let member = isOpen || own.has("notes") ? "toolwrightNotes" : "notes";
  while (own.has(member)) member += "_";
  return { schema: { ...rest, properties: { ...Object.fromEntries(members), [member]: notesSchema } }, member };
}
