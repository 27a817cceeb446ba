/** Words of one place of a document, as a second reader finds them. */
export interface Found {
  /** What kind of place: `text`, `deleted`, or `page 3`. */
  readonly place: string;
  readonly text: string;
}

/** Marks of Markdown that stand within words, and what typesetting adds to them: soft hyphens, marks of direction, joiners. */
const within = /<\/?ins>|[*~\\{}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** Han, kana and hangul are written without blanks: each character is a word. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}\p{M}]/u;
const alone = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Words as they are compared: in small letters, ligatures and widths resolved, without marks. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  let open = "";
  for (const character of `${text.normalize("NFKC").toLowerCase().replace(within, "")} `) {
    const isWord = word.test(character);
    if (isWord && !alone.test(character)) open += character;
    else {
      if (open !== "") words.push(open);
      open = "";
      if (isWord) words.push(character);
    }
  }
  return words;
}

/** Without the marks of raised and lowered numbers, which pdftotext does not tell from those beside them. */
export const joinShifted = (text: string) => text.replace(/(?<=[\p{L}\p{N}])[\^_](?=\d)/gu, "");

/** How often each word stands in a text. */
export class Bag {
  readonly #counts = new Map<string, number>();

  constructor(words: readonly string[] = []) {
    for (const each of words) this.#counts.set(each, (this.#counts.get(each) ?? 0) + 1);
  }

  /** Takes words out. Returns those that are not in it. */
  take(words: readonly string[]): readonly string[] {
    return words.filter((each) => {
      const count = this.#counts.get(each) ?? 0;
      if (count === 0) return true;
      this.#counts.set(each, count - 1);
      return false;
    });
  }

  /** What is left in it. */
  get words(): readonly string[] {
    return [...this.#counts].flatMap(([each, count]) => Array.from({ length: count }, () => each));
  }
}
