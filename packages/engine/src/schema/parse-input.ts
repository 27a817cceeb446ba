import type { z } from "zod";
import type { Repair } from "../contract/call.ts";
import { isPlainObject } from "../contract/json.ts";
import type { CompiledSchema, SchemaIssue } from "./compiled-schema.ts";
import { toPointer } from "./json-pointer.ts";
import { proposeRepairs } from "./propose-repairs.ts";
import { applyEdit } from "./repair.ts";
import { propertiesOf } from "./schema-node.ts";

export type ParsedInput =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly Repair[] }
  | {
      readonly ok: false;
      readonly issues: readonly SchemaIssue[];
      /** All issues as one text, for a model or a person who will call again. */
      readonly message: string;
    };

export interface ParseOptions {
  /** Other names for members at the top: `{ cmd: "command" }`. */
  readonly aliases?: Readonly<Record<string, string>>;
}

const unrepaired: readonly Repair[] = Object.freeze([]);

/** JSON text inside JSON text, a few times over, is repaired; more is nobody's mistake. */
const maxRounds = 4;

/**
 * Parses an input exactly; only when that fails, tries repairs that guess nothing. The repaired input parses exactly too,
 * and every change is recorded (pain #23). The input itself is never changed.
 */
export function parseInput(schema: CompiledSchema, input: unknown, options: ParseOptions = {}): ParsedInput {
  const exact = schema.parse(input);
  if (exact.ok) return { ok: true, value: exact.value, repairs: unrepaired };
  const { value, repairs } = repair(schema, input, options);
  const outcome = repairs.length > 0 ? schema.parse(value) : exact;
  if (outcome.ok) return { ok: true, value: outcome.value, repairs };
  return { ok: false, issues: outcome.issues, message: writeMessage(outcome.issues) };
}

function repair(schema: CompiledSchema, input: unknown, options: ParseOptions): { value: unknown; repairs: Repair[] } {
  const repairs: Repair[] = [];
  let value = input;
  for (let round = 0; round < maxRounds; round++) {
    const renamed = renameAliases(schema, value, options.aliases ?? {});
    value = renamed.value;
    const edits = proposeRepairs(issuesOf(schema, value), { value, json: schema.json });
    for (const edit of edits) value = applyEdit(value, edit);
    const made = [...renamed.repairs, ...edits.map(({ path, what }) => ({ path: toPointer(path), what }))];
    if (made.length === 0) break;
    repairs.push(...made);
  }
  return { value, repairs };
}

function issuesOf(schema: CompiledSchema, value: unknown): readonly z.core.$ZodIssue[] {
  try {
    return schema.exact.safeParse(value).error?.issues ?? [];
  } catch {
    // A check of the tool's author threw; the last exact parse says so.
    return [];
  }
}

function renameAliases(
  schema: CompiledSchema,
  input: unknown,
  aliases: Readonly<Record<string, string>>,
): { value: unknown; repairs: Repair[] } {
  const repairs: Repair[] = [];
  if (!isPlainObject(input)) return { value: input, repairs };
  const members = new Set(propertiesOf(schema.json).map(([name]) => name));
  const entries = new Map(Object.entries(input));
  for (const [alias, member] of Object.entries(aliases)) {
    if (members.has(alias) || !entries.has(alias) || entries.has(member)) continue;
    entries.set(member, entries.get(alias));
    entries.delete(alias);
    repairs.push({ path: toPointer([member]), what: `took "${alias}" as another name for "${member}"` });
  }
  return { value: repairs.length > 0 ? Object.fromEntries(entries) : input, repairs };
}

function writeMessage(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, 10).map(({ path, message }) => `- ${path || "/"}: ${message}`);
  if (issues.length > shown.length) shown.push(`- and ${issues.length - shown.length} more`);
  return `The input does not fit. Correct this and call again:\n${shown.join("\n")}`;
}
