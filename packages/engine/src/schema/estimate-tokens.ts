/** Characters that are looked at as one text: prose beside a table is estimated as prose. */
const windowLength = 256;

/**
 * About as many tokens as models read of a text, by what it is made of: words run at four characters a token, ids, tables of numbers and base64 at 1.3 to
 * 1.8. Between the counts of providers, and rather too many than too few.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at += windowLength) {
    const part = text.slice(at, at + windowLength);
    tokens += Math.max(Buffer.byteLength(part, "utf8") / 4, countRuns(part));
  }
  return Math.ceil(tokens);
}

type Kind = "small" | "capital" | "digit" | "space" | "break" | "sign" | "letter" | "symbol" | "none";

/** Runs of characters of one kind, as tokenizers part texts. */
function countRuns(text: string): number {
  let tokens = 0;
  let before: Kind = "none";
  let kind: Kind = "none";
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const next = kindOf(text.charCodeAt(at));
    // A capital begins a word.
    if (next === kind || (kind === "capital" && next === "small" && length === 1)) {
      kind = next;
      length += 1;
      continue;
    }
    tokens += tokensOf(kind, length, { before, next });
    before = kind;
    kind = next;
    length = 1;
  }
  return tokens + tokensOf(kind, length, { before, next: "none" });
}

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return "small";
  if (code >= 65 && code <= 90) return "capital";
  if (code >= 48 && code <= 57) return "digit";
  if (code === 32) return "space";
  if (code === 10 || code === 13 || code === 9) return "break";
  if (code < 0x80) return "sign";
  return code < 0x800 ? "letter" : "symbol";
}

/** Letters of a word that is one token. */
const shortWord = 7;
/** Pieces between capitals and digits that are no words. */
const pieceOfId = 2;

function tokensOf(kind: Kind, length: number, { before, next }: { readonly before: Kind; readonly next: Kind }): number {
  switch (kind) {
    case "none":
      return 0;
    case "small":
    case "capital":
      if (length <= pieceOfId && (before === "small" || before === "capital" || before === "digit")) return 1.5;
      return length <= shortWord ? 1 : 1 + (length - shortWord) / 4;
    case "digit":
    case "sign":
      return Math.ceil(length / 3);
    case "space":
      // One goes with the word behind it.
      return length > 1 || next === "digit" ? 1 : 0;
    case "break":
      return 1;
    case "letter":
      return length / 2;
    case "symbol":
      return length;
  }
}
