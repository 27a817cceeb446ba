/** Characters of a passage. */
export const mostOfChunk = 1_200;

/** A passage of a text, with its first and its last line in there, from 0. */
export interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Lines that belong together: a paragraph, a block of code, a table. */
interface Block {
  readonly from: number;
  readonly to: number;
  /** Lines at its beginning that are said again where it is cut. */
  readonly header: number;
}

/**
 * Cuts a text between its paragraphs, and a longer paragraph between lines, sentences or words. A block of code and a table are whole where they fit;
 * a table that is cut repeats its header.
 */
export function cutText(text: string): readonly Piece[] {
  const lines = text.split("\n");
  const pieces: Piece[] = [];
  let open: Piece | undefined;
  const close = () => {
    if (open) pieces.push(open);
    open = undefined;
  };
  for (const block of blocksOf(lines)) {
    const whole = lines.slice(block.from, block.to + 1).join("\n");
    if (open && open.text.length + (block.from - open.to) + whole.length > mostOfChunk) close();
    if (whole.length > mostOfChunk) {
      close();
      pieces.push(...cutBlock(lines, block));
    } else
      open = open ? { ...open, text: `${open.text}${"\n".repeat(block.from - open.to)}${whole}`, to: block.to } : { ...block, text: whole };
  }
  close();
  return pieces.map(({ text: own, from, to }) => ({ text: own.trimEnd(), from, to })).filter((piece) => piece.text !== "");
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const rule = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
/** A longer one is no line to say again. */
const isRule = (line: string) => line.length <= mostOfChunk && rule.test(line);

function* blocksOf(lines: readonly string[]): Generator<Block> {
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.trim() === "") {
      at += 1;
      continue;
    }
    const to = endOfBlock(lines, at);
    const isTable = (lines[at] ?? "").includes("|") && at < to && isRule(lines[at + 1] ?? "");
    yield { from: at, to, header: isTable ? 2 : 0 };
    at = to + 1;
  }
}

/** Empty lines end a block, but one of code ends with its mark. */
function endOfBlock(lines: readonly string[], from: number): number {
  const [, mark] = fence.exec(lines[from] ?? "") ?? [];
  for (let at = from + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (mark !== undefined ? line.trim().startsWith(mark) : line.trim() === "") return mark !== undefined ? at : at - 1;
  }
  return lines.length - 1;
}

function cutBlock(lines: readonly string[], { from, to, header }: Block): readonly Piece[] {
  const head = lines.slice(from, from + header).join("\n");
  // A header that is nearly a passage by itself is said once.
  const repeated = head.length > 0 && head.length <= mostOfChunk / 4 ? `${head}\n` : "";
  const pieces: Piece[] = [];
  let open: Piece | undefined;
  for (let at = from; at <= to; at += 1) {
    for (const words of cutLine(lines[at] ?? "", mostOfChunk - repeated.length)) {
      if (open && open.text.length + 1 + words.length > mostOfChunk) {
        pieces.push(open);
        open = undefined;
      }
      const before = pieces.length > 0 ? repeated : "";
      open = open ? { ...open, text: `${open.text}\n${words}`, to: at } : { text: `${before}${words}`, from: at, to: at };
    }
  }
  return open ? [...pieces, open] : pieces;
}

/** Ends of sentences, then blanks, then anywhere but within a character. */
export function cutLine(line: string, most: number): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > most) {
    const begin = rest.slice(0, most);
    const sentence = Math.max(...[". ", "! ", "? ", "。", "; "].map((end) => begin.lastIndexOf(end) + (end.length === 1 ? 1 : 2)));
    const blank = begin.lastIndexOf(" ") + 1;
    const cut = [sentence, blank].find((place) => place > most / 2) ?? most - (/[\ud800-\udbff]$/.test(begin) ? 1 : 0);
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}
