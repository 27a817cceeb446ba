/** Letters that are not another letter with a mark on it. */
const letters: Readonly<Record<string, string>> = { ß: "ss", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ё: "е" };
const odd = new RegExp(`[${Object.keys(letters).join("")}]`, "gu");
/** Marks that a word means the same without. In other scripts a mark can be a vowel. */
const marks = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{M}])[\u0300-\u036f]+|[\u0591-\u05c7\u064b-\u0652]/gu;
/** Scripts that write no blanks between words. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]{3,}$/u;
const runs =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]]+/gv;

/** A text without any of this is read in a quarter of the time. */
const beyondAscii = /[\u0080-\uffff]/;

/** The words of a text in lower case and without marks. A run of a script without blanks gives each two neighbours. */
export function wordsIn(text: string): string[] {
  if (!beyondAscii.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = text
    .toWellFormed()
    .normalize("NFKD")
    .toLowerCase()
    .replace(marks, "")
    .normalize("NFC")
    .replace(odd, (letter) => letters[letter] ?? "");
  return (plain.match(runs) ?? []).flatMap((run) => (unspaced.test(run) ? pairsOf([...run]) : [run]));
}

/**
 * What full text search reads of a text, stored and asked alike: its words and nothing between them. So no parser takes `-123` of `abc-123` for a
 * negative number, and every PostgreSQL answers the same, whatever extensions and locale it has.
 */
export function foldText(text: string): string {
  return wordsIn(text).join(" ");
}

const pairsOf = (characters: readonly string[]) => characters.slice(1).map((next, at) => `${characters[at]}${next}`);
