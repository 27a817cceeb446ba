/** Begins a construct whose inside is read by other rules; whether a line is continued there is not told here. */
const opaque = /[$`]|<</y;
const blank = /^[ \t\n]?$/;
/** Between these, nothing that a blank could part is one token of the shell. */
const operatorEnd = /^[;|&(]$/;
const wordStart = /^[A-Za-z0-9_./'"-]$/;
const beforeComment = /^[\s;|&()<>]?$/;
const doubleQuoted = /"(?:[^"\\$`]|\\[\s\S])*"/y;

/**
 * The text with every backslash at the end of a line, where it stands between words, as two blanks: to the shell it is no more than
 * that, and positions stay as they are. Inside a word, quotes, comments and here-documents it stays. Nothing is joined after the first
 * that stays, nor from the first `$`, backtick or `<<` on.
 */
export function joinContinuedLines(text: string): string {
  if (!text.includes("\\\n")) return text;
  let joined = "";
  let before = "";
  for (let at = 0; at < text.length; ) {
    const end = matchesAt(opaque, text, at) ? undefined : endOfPart(text, at, before);
    const part = text.slice(at, end);
    const isContinued = part === "\\\n";
    if (end === undefined || (isContinued && !isBetweenWords(before, text[end] ?? ""))) return joined + text.slice(at);
    joined += isContinued ? "  " : part;
    // A blank that is escaped or in quotes parts no words: such parts are longer than it.
    before = isContinued ? " " : part;
    at = end;
  }
  return joined;
}

function isBetweenWords(before: string, after: string): boolean {
  return blank.test(before) || blank.test(after) || (operatorEnd.test(before) && wordStart.test(after));
}

/** End of the quoted text, escape, comment or character that begins here; undefined when it has none that is certain. */
function endOfPart(text: string, at: number, before: string): number | undefined {
  switch (text[at]) {
    case "\\":
      return at + 2;
    case "'": {
      const end = text.indexOf("'", at + 1);
      return end < 0 ? undefined : end + 1;
    }
    case '"':
      return matchesAt(doubleQuoted, text, at) ? doubleQuoted.lastIndex : undefined;
    case "#": {
      if (!beforeComment.test(before)) return at + 1;
      const end = text.indexOf("\n", at);
      return end < 0 ? text.length : end;
    }
    default:
      return at + 1;
  }
}

function matchesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}
