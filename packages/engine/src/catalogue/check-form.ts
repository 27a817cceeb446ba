import { isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import { nearestName } from "../contract/nearest-name.ts";
import { toPointer } from "../schema/json-pointer.ts";
import { requiredOf } from "../schema/schema-node.ts";
import type { FormSpec } from "../tool/presentation.ts";

/** What is wrong with a spec, and its JSON pointer from the presentation. */
export interface SpecFault {
  readonly place: string;
  readonly problem: string;
}

interface NamedMember {
  readonly name: string;
  readonly place: string;
}

/** The first thing in a form spec that does not go with the input schema. */
export function findFormFault(form: FormSpec, input: JsonObject): SpecFault | undefined {
  const { order = [], groups = [], more = [], fields = {}, internal = [], embed = { hide: [] } } = form;
  const known = membersOf(input);
  const grouped = groups.flatMap((group, index) => listAt(group.fields, ["groups", index, "fields"]));
  const hidden = [...listAt(internal, ["internal"]), ...listAt(embed.hide, ["embed", "hide"])];
  const rare = listAt(more, ["more"]);
  const named = [...listAt(order, ["order"]), ...grouped, ...rare, ...hidden, ...listFields(fields)];
  return (
    findUnknown(named, known) ?? findTwice(grouped) ?? findTwice(listAt(order, ["order"])) ?? findRequired([...rare, ...hidden], input)
  );
}

function listAt(names: readonly string[], place: readonly PropertyKey[]): readonly NamedMember[] {
  return names.map((name, index) => ({ name, place: toPointer(["form", ...place, index]) }));
}

function listFields(fields: Readonly<Record<string, unknown>>): readonly NamedMember[] {
  return Object.keys(fields).map((name) => ({ name, place: toPointer(["form", "fields", name]) }));
}

function findUnknown(named: readonly NamedMember[], known: readonly string[]): SpecFault | undefined {
  const unknown = named.find(({ name }) => !known.includes(name));
  if (!unknown) return undefined;
  return { place: unknown.place, problem: describeMissing("input", unknown.name, known) };
}

/** Names what there is, and what was most likely meant. */
export function describeMissing(side: string, name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return `the ${side} has no member ${JSON.stringify(name)}.${hint} Its members: ${known.join(", ") || "none"}`;
}

function findTwice(named: readonly NamedMember[]): SpecFault | undefined {
  const twice = named.find(({ name }, index) => named.findIndex((other) => other.name === name) < index);
  return twice && { place: twice.place, problem: `${JSON.stringify(twice.name)} is named twice. Name it once` };
}

/** What must be filled stays where people see it. */
function findRequired(unseen: readonly NamedMember[], input: JsonObject): SpecFault | undefined {
  const required = requiredOf(input);
  const fault = unseen.find(({ name }) => required.includes(name));
  return (
    fault && {
      place: fault.place,
      problem: `${JSON.stringify(fault.name)} is required, so a form has to show it. Give it a default in the schema`,
    }
  );
}

/** Names of the members at the top, of every branch where the schema is a union. */
function membersOf(schema: Json | undefined): readonly string[] {
  if (!isPlainObject(schema)) return [];
  const { properties, anyOf, oneOf } = schema as JsonObject;
  const branches = [anyOf, oneOf].flatMap((options) => (Array.isArray(options) ? options : []));
  return [...new Set([...(isPlainObject(properties) ? Object.keys(properties) : []), ...branches.flatMap(membersOf)])];
}
