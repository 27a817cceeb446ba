import type { CallResult } from "../contract/call.ts";
import { isPlainObject, type JsonObject } from "../contract/json.ts";
import { propertiesOf } from "./schema-node.ts";

interface NotedSchema {
  readonly schema: JsonObject;
  /** Undefined where the schema leaves no room for a member of ours. */
  readonly member: string | undefined;
}

const made = new WeakMap<JsonObject, NotedSchema>();
const notesSchema: JsonObject = { type: "array", items: { type: "string" }, description: "Repairs, cuts and limits of this call." };
/** Root keywords that judge all members together. */
const aboutAll = ["allOf", "anyOf", "oneOf", "not", "$ref", "patternProperties"];

/**
 * The schema of a tool's output with room for the notes of a call, for clients that give a model nothing but the structured output. The member is
 * `notes`, or `toolwrightNotes` beside a member of the tool's own of that name.
 */
export function notedSchema(outputSchema: JsonObject): JsonObject {
  return noted(outputSchema).schema;
}

/** The structured output of a call that is done, its notes first: what is cut again in the middle or at the end still shows them. */
export function notedOutput(result: Extract<CallResult, { status: "done" }>, outputSchema: JsonObject | undefined): JsonObject {
  const output = result.output as JsonObject;
  const member = outputSchema && noted(outputSchema).member;
  if (!result.notes?.length || member === undefined || !isPlainObject(output) || Object.hasOwn(output, member)) return output;
  return { [member]: [...result.notes], ...output };
}

function noted(outputSchema: JsonObject): NotedSchema {
  const known = made.get(outputSchema);
  if (known) return known;
  const fresh = addNotes(outputSchema);
  made.set(outputSchema, fresh);
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
