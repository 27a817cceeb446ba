export interface Replacement {
  readonly text: string;
  /** 1-based line of each place, in the old text. */
  readonly lines: readonly number[];
}

const toEnding = (text: string, ending: string) => text.replaceAll("\r\n", "\n").replaceAll("\n", ending);

/** The line ending that most lines of a text have. */
export function endingOf(text: string): "\n" | "\r\n" {
  const all = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  return windows * 2 > all ? "\r\n" : "\n";
}

/**
 * Replaces exact text and leaves every other character as it is. Line ends in both texts are taken as the file has them, so that
 * a file with CRLF keeps it; if that is found nowhere, they are taken literally. No lines: not found.
 */
export function replaceText(text: string, oldText: string, newText: string): Replacement {
  const ending = endingOf(text);
  const adapted = replaceExact(text, toEnding(oldText, ending), toEnding(newText, ending));
  return adapted.lines.length > 0 ? adapted : replaceExact(text, oldText, newText);
}

function replaceExact(text: string, oldText: string, newText: string): Replacement {
  const lines: number[] = [];
  const parts: string[] = [];
  let from = 0;
  let line = 1;
  for (let at = text.indexOf(oldText); at !== -1; at = text.indexOf(oldText, from)) {
    const before = text.slice(from, at);
    line += before.split("\n").length - 1;
    lines.push(line);
    line += oldText.split("\n").length - 1;
    parts.push(before, newText);
    from = at + oldText.length;
  }
  return { text: parts.join("") + text.slice(from), lines };
}
