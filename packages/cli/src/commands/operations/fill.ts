import type { ShortAnswer, ViewContext, ViewPart } from "@toolwright/engine/shell";
import { minuteOf, oneLine } from "@toolwright/engine/visible-text";
import type { GeneratedColumns } from "./generated-command.ts";

type Members = Readonly<Record<string, unknown>>;

/** The text with each `{name}` in it replaced by that member, on one line. */
export const fill = (text: string, members: Members): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => (name === "where" ? String(members.where) : oneLine(cellOf(members[name]))));

export function renderShort({ out, note, always }: ShortAnswer, answer: Members, { input, where }: ViewContext): readonly ViewPart[] {
  const members = { ...input, ...answer, where };
  return [
    ...(out === undefined ? [] : [fill(out, members)]),
    ...(note === undefined ? [] : [{ note: fill(note, members), ...(always && { always }) }]),
  ];
}

export function renderColumns(
  { columns, times, empty, none }: GeneratedColumns,
  items: readonly Members[],
  { input, where }: ViewContext,
): readonly ViewPart[] {
  const isNarrowed = Object.keys(input).some((member) => member !== "limit");
  if (items.length === 0) return [fill(none !== undefined && isNarrowed ? none : empty, { ...input, where })];
  const members = Object.values(columns);
  const toRow = (item: Members) =>
    members.map((member) => (times.includes(member) && typeof item[member] === "number" ? minuteOf(item[member]) : cellOf(item[member])));
  return [{ head: Object.keys(columns), rows: items.map(toRow) }];
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(cellOf).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
