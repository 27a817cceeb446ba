import type { Look } from "./docx-styles.ts";

/** Words of one look. */
export interface Piece {
  readonly text: string;
  readonly look: Look;
  /** Where a link leads to. */
  readonly link?: string | undefined;
}

/** Words of a paragraph as Markdown. Bold and italic are left out where they would break a word. */
export function writePieces(pieces: readonly Piece[], { emphasis }: { readonly emphasis: boolean }): string {
  const merged = mergeAlike(pieces);
  const written = merged.map((piece, index) => {
    const words = piece.text.trim();
    if (words === "") return piece.text;
    const begin = piece.text.length - piece.text.trimStart().length;
    const [before, after] = [piece.text.slice(0, begin), piece.text.slice(begin + words.length)];
    const splitsWord =
      (before === "" && endsInWord(merged[index - 1]?.text) && beginsWord(words)) ||
      (after === "" && beginsWord(merged[index + 1]?.text) && endsInWord(words));
    return `${before}${writeWords(words, piece, emphasis && !splitsWord)}${after}`;
  });
  return written.join("").trim();
}

const endsInWord = (text = "") => /[\p{L}\p{N}]$/u.test(text.slice(-2));
const beginsWord = (text = "") => /^[\p{L}\p{N}]/u.test(text.slice(0, 2));

function writeWords(words: string, { look, link }: Piece, emphasis: boolean): string {
  let text = words;
  if (look.position === "superscript" || look.position === "subscript") text = shift(text, look.position);
  if (look.struck) text = `~~${text}~~`;
  if (emphasis && look.italic) text = `_${text}_`;
  if (emphasis && look.bold) text = `**${text}**`;
  if (look.hidden) text = `[Hidden: ${text}]`;
  return link === undefined ? text : writeLink(text, link);
}

/** One word stands behind its mark alone, more stand in braces. */
function shift(text: string, position: "superscript" | "subscript"): string {
  const mark = position === "superscript" ? "^" : "_";
  return /^[-+\u2212]?[\p{L}\p{N}.,]+$|^.$/u.test(text) ? `${mark}${text}` : `${mark}{${text}}`;
}

/** Only links that a reader can follow are kept; of others the text stays. */
function writeLink(text: string, address: string): string {
  const target = URL.parse(address);
  if (!target || !["http:", "https:", "mailto:"].includes(target.protocol)) return text;
  return `[${text.replace(/\s+/g, " ")}](${target.href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** Word cuts a sentence wherever somebody typed or checked its spelling. */
function mergeAlike(pieces: readonly Piece[]): readonly Piece[] {
  const groups: { readonly piece: Piece; readonly texts: string[] }[] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last && isAlike(last.piece, piece)) last.texts.push(piece.text);
    else groups.push({ piece, texts: [piece.text] });
  }
  return groups.map(({ piece, texts }) => ({ ...piece, text: texts.join("") }));
}

function isAlike(one: Piece, other: Piece): boolean {
  const [a, b] = [one.look, other.look];
  const facts = ["bold", "italic", "struck", "hidden"] as const;
  return one.link === other.link && facts.every((fact) => !a[fact] === !b[fact]) && placeOf(a) === placeOf(b);
}

const placeOf = ({ position = "baseline" }: Look) => position;

/** Text that would be a heading, a row, a line or a block of code in Markdown. */
export const escapeLines = (text: string) => text.replace(/^(#{1,6} |\||```|~~~|=+[ \t]*$|-{2,}[ \t]*$)/gm, "\\$1");
