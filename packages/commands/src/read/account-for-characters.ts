import { NotUnderstood } from "../words/decode-word.ts";

/** Characters of a line that were read. */
export interface Span {
  readonly pos: number;
  readonly end: number;
  /** Index of the command it belongs to; -1 for the body of a here-document, less for the redirects of a group. */
  readonly owner: number;
  readonly redirect: boolean;
  /** True for the head of a loop, behind which a command begins. */
  readonly opens?: boolean;
}

interface Accounted {
  readonly source: string;
  readonly spans: readonly Span[];
  /** Every group of the line: `(` or `{`. */
  readonly groups: readonly ("(" | "{")[];
}

/** Blanks, operators, grouping, negation, `time` and comments. */
const betweenCommands = /^(?:[ \t\n;|&(){}!]|(?<![^ \t\n;|&()])time(?: -p)?(?![^ \t\n])|(?<=[ \t\n;|&()])#[^\n]*(?![^\n]))*$/;

/** No byte may stand outside words, redirects, assignments and known operators: the absence of a node proves nothing. */
export function accountForCharacters({ source, spans, groups }: Accounted): void {
  const ordered = spans.toSorted((a, b) => a.pos - b.pos);
  let previous: Span | undefined;
  let gaps = "";
  for (const span of ordered) {
    if (span.pos < (previous?.end ?? 0)) throw new NotUnderstood("parts of the line overlap");
    const gap = source.slice(previous?.end ?? 0, span.pos);
    if (!isGapKnown(gap, previous, span, source)) {
      throw new NotUnderstood("it holds characters whose meaning is not certain");
    }
    gaps += `${gap}\n`;
    previous = span;
  }
  const tail = `${previous ? "" : "\n"}${source.slice(previous?.end ?? 0)}`;
  if (!betweenCommands.test(tail)) throw new NotUnderstood("it holds characters whose meaning is not certain");
  accountForGroups(`${gaps}${tail}`, groups);
}

/** A bracket between commands opens or closes a group that was read; the parser passes over one that does not. */
function accountForGroups(gaps: string, groups: Accounted["groups"]): void {
  const brackets = gaps.replace(/(?<=^|[\s;|&()])#[^\n]*/g, "");
  const count = (bracket: string) => brackets.split(bracket).length - 1;
  const opened = (bracket: string) => groups.filter((group) => group === bracket).length;
  if (count("(") === opened("(") && count(")") === opened("(") && count("{") === opened("{") && count("}") === opened("{")) return;
  throw new NotUnderstood("a bracket opens or closes nothing", "deny");
}

function isGapKnown(gap: string, before: Span | undefined, after: Span, source: string): boolean {
  if (!before) return betweenCommands.test(`\n${gap}`);
  if (before.owner !== after.owner || before.owner === -1) {
    if (!betweenCommands.test(gap)) return false;
    if (before.opens) return gap === "";
    return after.owner < -1 ? /\)[ \t]*$|\}[ \t]+$/.test(gap) : /[;\n|&(]/.test(gap) || after.owner === -1;
  }
  if (gap !== "") return /^[ \t]+$/.test(gap);
  const glued = source.slice(before.pos, before.end);
  // A number right before a redirect is its descriptor, not the target of the redirect before.
  if (before.redirect && after.redirect && /[<>|][ \t]*\d+$/.test(glued)) return false;
  return before.redirect || (after.redirect && !/^\d+$|\}$/.test(glued));
}
