import { codePoint } from "dingbat-to-unicode";

/** Fonts whose letters are pictures: a `þ` in Wingdings is a ticked box. */
const symbolFont = /^(?:symbol|wingdings(?: [23])?|webdings|zapf dingbats|zapfdingbats|itc zapf dingbats)$/i;
/** Fonts of symbols keep their characters here, too. */
const privateBase = 0xf000;
const privateUse = /[\ue000-\uf8ff]/g;

/** What a text in a font says; `unknown` counts the characters that no table has, each of which becomes U+FFFD. */
export function readSymbols(text: string, font: string): { readonly text: string; readonly unknown: number } {
  const mapped = symbolFont.test(font) ? Array.from(text, (character) => symbolOf(character, font)).join("") : text;
  const unknown = mapped.match(privateUse)?.length ?? 0;
  return { text: unknown === 0 ? mapped : mapped.replace(privateUse, "\ufffd"), unknown };
}

function symbolOf(character: string, font: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x20 || code === 0xa0) return " ";
  const found = codePoint(font, code >= privateBase && code <= privateBase + 0xff ? code - privateBase : code);
  return found?.string ?? character;
}

/** A symbol by its number in a font (ECMA-376, part 1, 17.3.3.30). */
export function readSymbol(font: string, code: string): { readonly text: string; readonly unknown: number } {
  const number = Number.parseInt(code, 16);
  return Number.isNaN(number) || number > 0xffff ? { text: "\ufffd", unknown: 1 } : readSymbols(String.fromCharCode(number), font);
}
