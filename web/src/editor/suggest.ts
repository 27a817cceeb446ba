import type { Path } from "./document-text.ts";

/** What completion reads of a JSON Schema (draft 7). */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

export interface Suggestion {
  readonly label: string;
  /** Beside it: its kind. */
  readonly detail?: string;
  /** What it means. */
  readonly info?: string | undefined;
  /** What is written for it. */
  readonly apply: string;
}

export interface Suggestions {
  /** Where what they replace begins. */
  readonly from: number;
  readonly options: readonly Suggestion[];
}

export interface Vocabulary {
  readonly schema: Schema;
  /** What a place takes whose text has this pattern: names of tools, of groups. */
  readonly namesFor: (pattern: string) => readonly string[];
}

/** What can be written where the cursor is: members of the place, or its values. The text around may be half written. */
export function suggest(text: string, at: number, { schema, namesFor }: Vocabulary): Suggestions | undefined {
  const spot = spotOf(text, at);
  if (!spot) return undefined;
  const here = spot.path.reduce<Schema | undefined>((found, part) => found && memberOf(found, part, schema), resolve(schema, schema));
  if (!here) return undefined;
  const options = spot.isValue ? valuesOf(here, namesFor) : [...membersOf(here, spot.column, schema), ...valuesOf(here, namesFor)];
  return options.length > 0 ? { from: spot.from, options } : undefined;
}

interface Spot {
  /** Entries of lists are 0. */
  readonly path: Path;
  readonly from: number;
  readonly column: number;
  /** After `name:`, where no member can stand. */
  readonly isValue: boolean;
}

interface Level {
  readonly column: number;
  /** Undefined for an entry of a list. */
  readonly name: string | undefined;
}

const lineForm = /^( *)((?:- +)*)(.*)$/;
const memberForm = /^(?:"([^"]*)"|'([^']*)'|([^\s#"'[{][^:#]*?)) *:(?: +(.*))?$/;
const partial = /["']?[\w.:/-]*$/;

function spotOf(text: string, at: number): Spot | undefined {
  const lines = text.slice(0, at).split("\n");
  const typed = lines.pop() ?? "";
  const levels: Level[] = [];
  for (const line of lines) if (line.trim() !== "" && !line.trim().startsWith("#")) descend(levels, readLine(line).levels);
  const { levels: own, column, content } = readLine(typed, true);
  if (content.startsWith("#")) return undefined;
  const member = memberForm.exec(content);
  const value = member ? (member[4] ?? (/:\s+$/.test(content) ? "" : undefined)) : undefined;
  if (member && value === undefined) return undefined;
  descend(levels, own);
  if (!member) {
    while (levels.length > 0 && closes(levels.at(-1) as Level, { column, name: "" })) levels.pop();
    if (!/^["']?[\w.:/-]*$/.test(content)) return undefined;
  }
  const path: (string | number)[] = levels.map(({ name }) => name ?? 0);
  // Within `[a, b`, each is an entry.
  const isInList = value?.startsWith("[") === true;
  if (isInList) path.push(0);
  const rest = isInList ? /[^[,]*$/.exec(value)?.[0].trimStart() : (value ?? content);
  const word = partial.exec(rest ?? "")?.[0] ?? "";
  if (word !== rest) return undefined;
  return { path, from: at - word.length, column, isValue: member !== null };
}

/** The levels that a line opens. Of the line that is being typed, what has no colon yet opens none. */
function readLine(line: string, isTyped = false): { readonly levels: readonly Level[]; readonly column: number; readonly content: string } {
  // A dash that was just written has no blank behind it.
  const [, blanks = "", dashes = "", content = ""] = lineForm.exec(isTyped && /^ *(- +)*-$/.test(line) ? `${line} ` : line) ?? [];
  const levels: Level[] = [];
  let column = blanks.length;
  for (const dash of dashes.match(/- +/g) ?? []) {
    levels.push({ column, name: undefined });
    column += dash.length;
  }
  const member = memberForm.exec(content);
  const name = member?.[1] ?? member?.[2] ?? member?.[3];
  if (name !== undefined) levels.push({ column, name });
  return { levels, column, content };
}

function descend(levels: Level[], opened: readonly Level[]): void {
  for (const level of opened) {
    while (levels.length > 0 && closes(levels.at(-1) as Level, level)) levels.pop();
    levels.push(level);
  }
}

/** Entries of a list may stand right below the member that they belong to. */
const closes = (before: Level, next: Level): boolean =>
  before.column > next.column || (before.column === next.column && !(before.name !== undefined && next.name === undefined));

function resolve(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace("#/definitions/", "");
  const named = name === undefined ? undefined : root.definitions?.[name];
  const parts = [...(named ? [named] : []), ...(schema.allOf ?? [])].map((part) => resolve(part, root));
  return Object.assign({}, ...parts, schema) as Schema;
}

function memberOf(schema: Schema, part: string | number, root: Schema): Schema | undefined {
  if (typeof part === "number") return schema.items && resolve(schema.items, root);
  const { properties = {}, additionalProperties: others } = schema;
  const found = Object.hasOwn(properties, part) ? properties[part] : typeof others === "object" ? others : undefined;
  return found && resolve(found, root);
}

function membersOf({ properties = {} }: Schema, column: number, root: Schema): readonly Suggestion[] {
  return Object.entries(properties).map(([label, given]) => {
    const { type, description, items } = resolve(given, root);
    const below = `\n${" ".repeat(column + 2)}`;
    const apply = items ? `${label}:${below}- ` : type === "object" ? `${label}:${below}` : `${label}: `;
    return { label, detail: String(type ?? ""), info: description, apply };
  });
}

function valuesOf(schema: Schema, namesFor: Vocabulary["namesFor"]): readonly Suggestion[] {
  const known = schema.enum ?? (schema.const !== undefined ? [schema.const] : schema.type === "boolean" ? [true, false] : []);
  const names = schema.pattern === undefined ? [] : namesFor(schema.pattern);
  return [...known, ...names].map((value) => {
    const label = String(value);
    return { label, ...(value === schema.default && { detail: "default" }), apply: label };
  });
}
