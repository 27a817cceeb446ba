import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type YAMLParseError,
  type YAMLWarning,
} from "yaml";

/** A place in a file; lines and columns count from 1. */
export interface PolicyPosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export type MemberPath = readonly (string | number)[];

/** One problem with its place. */
export interface LocatedProblem extends PolicyPosition {
  readonly text: string;
}

/** A file's value, with the places of its members. */
export interface PolicyText {
  readonly value: unknown;
  readonly problems: readonly LocatedProblem[];
  /** The nearest place that the path has in the file. */
  positionOf(path: MemberPath): PolicyPosition;
}

/**
 * Parses YAML 1.2 or JSON; what is not well formed comes back as problems. Types of YAML 1.1 are refused: a set or an ordered map
 * has no members that a schema sees, so what it denies would be lost.
 */
export function readPolicyText(text: string, file: string): PolicyText {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, schema: "core", resolveKnownTags: false });
  const placeAt = (offset: number): PolicyPosition => {
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problems = [...document.errors, ...document.warnings].map((error) => ({
    ...placeAt(error.pos[0]),
    text: describeProblemOf(error, text),
  }));
  if (document.directives.yaml.version !== "1.2") problems.push({ ...placeAt(0), text: "it is not YAML 1.2. Leave the %YAML line out." });
  const read = problems.length > 0 ? { value: undefined } : toValue(() => document.toJS());
  return {
    value: read.value,
    problems: read.problem === undefined ? problems : [{ ...placeAt(0), text: read.problem }],
    positionOf(path) {
      const resolve = (node: unknown) => (isAlias(node) ? node.resolve(document) : (node as Node | undefined));
      let node: Node | null | undefined = document.contents as ParsedNode | null;
      let offset = node?.range?.[0] ?? 0;
      for (const part of path) {
        const found = memberOf(node, part);
        if (!found) break;
        offset = found.offset ?? offset;
        node = resolve(found.value);
      }
      return placeAt(offset);
    },
  };
}

/** In words about policies where the parser's are about itself. */
function describeProblemOf({ code, message, pos }: YAMLParseError | YAMLWarning, text: string): string {
  const at = text.slice(pos[0], pos[1]);
  if (code === "DUPLICATE_KEY") {
    const name = /^\s*("(?:[^"\\]|\\.)*"|[^:\n]*?)\s*:/.exec(text.slice(pos[0], pos[0] + 1_000))?.[1]?.replace(/^"|"$/g, "") ?? at;
    return `${JSON.stringify(name)} is given twice. Join the two.`;
  }
  if (code === "MULTIPLE_DOCS") return "a file is one document, and here a second one begins. Join them.";
  if (code === "TAG_RESOLVE_FAILED") return `the tag ${at || message} is not known. Write plain lists, members and text, without tags.`;
  if (message.includes("call stack")) return "it is nested too deeply. A handful of levels is enough.";
  if (code === "TAB_AS_INDENT") return "tabs are not allowed as indentation. Use blanks.";
  return message;
}

/** Aliases that grow without bound are refused by the parser. */
function toValue(read: () => unknown): { readonly value: unknown; readonly problem?: string } {
  try {
    return { value: read() };
  } catch (error) {
    return { value: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

function memberOf(node: Node | null | undefined, part: string | number): { value: unknown; offset: number | undefined } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    return pair && { value: pair.value, offset: (pair.key as Node).range?.[0] };
  }
  const item = isSeq(node) && typeof part === "number" ? (node.items[part] as Node | undefined) : undefined;
  return item && { value: item, offset: item.range?.[0] };
}
