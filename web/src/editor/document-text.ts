import { isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode, parseDocument, stringify, visit } from "yaml";
import type { Json } from "../form/json-schema.ts";

export type Path = readonly (string | number)[];
export type Members = { readonly [name: string]: Json };

/** One thing that is wrong, or in vain, between two offsets of a text. */
export interface Mark {
  readonly level: "error" | "warning" | "hint";
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export interface ReadText {
  /** Undefined for what is not well formed. */
  readonly document: Members | undefined;
  /** Why it is not. */
  readonly marks: readonly Mark[];
  /** Whether it has comments, which a document of members cannot keep. */
  readonly hasComments: boolean;
  /** From where to where the nearest member of a path stands, in its first line. */
  rangeOf(path: Path): Pick<Mark, "from" | "to">;
}

/** A document as people write it; nothing for one without members. */
export const writeText = (document: Members): string => (Object.keys(document).length === 0 ? "" : stringify(document, { lineWidth: 0 }));

/** As much as the server reads of a policy file. */
const longest = 1 << 20;

/** Reads YAML 1.2, and so JSON, as the server reads policy files. */
export function readText(text: string): ReadText {
  if (text.length > longest) return refuseLong(text);
  const parsed = parseDocument(text, { prettyErrors: false, schema: "core", resolveKnownTags: false });
  const problems = [...parsed.errors, ...parsed.warnings].map(({ message, pos: [from, to] }) => error(text, message, { from, to }));
  const { value, refusal } = problems.length > 0 ? {} : readValue(() => parsed.toJS() as Json | undefined);
  if (refusal !== undefined) problems.push(error(text, refusal, { from: 0, to: firstLineEnd(text, 0) }));
  const isEmpty = problems.length === 0 && (value === undefined || value === null);
  if (problems.length === 0 && !isMembers(value) && !isEmpty)
    problems.push(error(text, "Write members, such as tools: with deny: below it.", { from: 0, to: firstLineEnd(text, 0) }));
  return {
    document: problems.length > 0 ? undefined : isMembers(value) ? value : {},
    marks: problems,
    hasComments: problems.length === 0 && holdsComments(parsed),
    rangeOf: (path) => rangeOf(parsed.contents, path, { text, resolve: (node) => (isAlias(node) ? node.resolve(parsed) : node) }),
  };
}

const isMembers = (value: Json | undefined): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

/** Lines and columns count from 1. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function refuseLong(text: string): ReadText {
  const end = { from: 0, to: firstLineEnd(text, 0) };
  const marks = [error(text, "The text is larger than 1 MiB, which no policy needs.", end)];
  return { document: undefined, marks, hasComments: false, rangeOf: () => end };
}

function error(text: string, message: string, { from, to }: Pick<Mark, "from" | "to">): Mark {
  const start = Math.min(from, text.length);
  return { level: "error", from: start, to: Math.min(Math.max(to, start), text.length), message };
}

/** Aliases that grow without bound are refused by the parser. */
function readValue(read: () => Json | undefined): { readonly value?: Json | undefined; readonly refusal?: string } {
  try {
    return { value: read() };
  } catch (reason) {
    return { refusal: reason instanceof Error ? reason.message : String(reason) };
  }
}

function holdsComments(parsed: ReturnType<typeof parseDocument>): boolean {
  let found = Boolean(parsed.comment || parsed.commentBefore);
  visit(parsed, {
    Node(_, { comment, commentBefore }) {
      if (!comment && !commentBefore) return undefined;
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

interface Finding {
  readonly text: string;
  readonly resolve: (node: unknown) => unknown;
}

function rangeOf(contents: ParsedNode | null, path: Path, { text, resolve }: Finding): Pick<Mark, "from" | "to"> {
  let node: unknown = contents;
  let from = contents?.range[0] ?? 0;
  for (const part of path) {
    const found = memberOf(node, part);
    if (!found) break;
    from = found.at ?? from;
    node = resolve(found.value);
  }
  return { from, to: firstLineEnd(text, from) };
}

function memberOf(node: unknown, part: string | number): { readonly value: unknown; readonly at: number | undefined } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    return pair && { value: pair.value, at: (pair.key as Node).range?.[0] };
  }
  const item = isSeq(node) && typeof part === "number" ? (node.items[part] as Node | undefined) : undefined;
  return item && { value: item, at: item.range?.[0] };
}

function firstLineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
