import type { DocumentPart } from "@toolwright/engine/ports";

/** Words of a document, and where they stand. */
interface FoundQuote {
  readonly text: string;
  readonly page: number | null;
  readonly cell: number | null;
}

/** Characters without blanks: shorter ones stand in any document. */
const shortest = 4;

/** Which of the quotes stand in a document word for word, blanks and line ends aside. A quote may run over the end of a page; its page is the one that it begins on. */
export function findQuotes(quotes: readonly string[], parts: readonly DocumentPart[]): readonly FoundQuote[] {
  const folded = parts.map(({ text }) => fold(text));
  const whole = folded.join("");
  const ends: number[] = [];
  for (const text of folded) ends.push((ends.at(-1) ?? 0) + text.length);
  return quotes.flatMap((quote) => {
    const wanted = fold(quote);
    const at = wanted.length < shortest ? -1 : whole.indexOf(wanted);
    if (at < 0) return [];
    const { page = null, cell = null } = parts[ends.findIndex((end) => at < end)] ?? {};
    return [{ text: quote, page, cell }];
  });
}

/** One form for what a model writes in another way than the page: blanks, line ends (also those in cells of a table), words that are broken at one, curly marks. */
function fold(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u201a]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/[\u00ad\u200b]/g, "")
    .replace(/(?<=\p{L})[-\u2010\u2011]\s*(?=\p{L})/gu, "")
    .replace(/<br>|\s+/g, "");
}
