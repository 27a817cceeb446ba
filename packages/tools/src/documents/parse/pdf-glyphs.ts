import { getResolvedPDFJS } from "unpdf";
import { charactersOfGlyph } from "./glyph-names.ts";
import type { PDFPage } from "./pdf-images.ts";
import { readSymbols } from "./symbols.ts";

/** Characters that mean nothing outside of their font: it has no table of characters, or one that leads nowhere. */
const meaningless = /(?![\t\n\r])[\p{Cc}\p{Co}\ufffd]/u;
const allMeaningless = new RegExp(meaningless, "gu");

/** A glyph that is shown, as PDF.js hands it over. */
interface Glyph {
  readonly unicode?: string;
  readonly originalCharCode?: number;
}

/** What PDF.js tells of a font, with `fontExtraProperties`: names of glyphs by their codes. */
interface Font {
  readonly name?: string;
  readonly missingFile?: boolean;
  readonly differences?: readonly (string | undefined)[];
  readonly defaultEncoding?: readonly (string | undefined)[];
}

/** What a page says with meaningless characters read by the names of their glyphs, where the font has them. Others become U+FFFD, and `lost` counts them. */
export async function readGlyphs(
  page: PDFPage,
  texts: readonly string[],
): Promise<{ readonly texts: readonly string[]; readonly lost: number }> {
  if (!texts.some((text) => meaningless.test(text))) return { texts, lost: 0 };
  const wanted = texts.flatMap((text) => text.match(allMeaningless) ?? []);
  const glyphs = await meaninglessGlyphs(page);
  const isAligned = glyphs.length === wanted.length && glyphs.every(({ character }, index) => character === wanted[index]);
  const byCharacter = isAligned ? undefined : uniqueReadings(glyphs);
  let at = -1;
  let lost = 0;
  const read = texts.map((text) =>
    text.replace(allMeaningless, (character) => {
      at += 1;
      const found = byCharacter ? byCharacter.get(character) : glyphs[at]?.reading;
      if (found === undefined) lost += 1;
      return found ?? "\ufffd";
    }),
  );
  return { texts: read, lost };
}

interface Reading {
  readonly character: string;
  readonly reading: string | undefined;
}

/** Glyphs of a page that have no character of their own, in the order in which the page shows them. */
async function meaninglessGlyphs(page: PDFPage): Promise<readonly Reading[]> {
  const { OPS, AnnotationMode } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE });
  const found: Reading[] = [];
  let font: Font = {};
  for (const [index, op] of fnArray.entries()) {
    const [first] = (argsArray[index] ?? []) as readonly unknown[];
    if (op === OPS.setFont && typeof first === "string") font = await fontOf(page, first);
    if (op !== OPS.showText) continue;
    for (const { unicode = "", originalCharCode } of first as readonly Glyph[])
      if (meaningless.test(unicode))
        for (const character of unicode.match(allMeaningless) ?? [])
          found.push({ character, reading: character === unicode ? readingOf(character, originalCharCode ?? -1, font) : undefined });
  }
  return found;
}

const fontOf = (page: PDFPage, name: string) =>
  page.commonObjs.has(name) ? new Promise<Font>((resolve) => page.commonObjs.get(name, (found: Font | null) => resolve(found ?? {}))) : {};

/** Names in the differences of an encoding are the font's own. Those of a usual encoding hold where the font names it, or has no glyphs of its own. */
function readingOf(
  character: string,
  code: number,
  { name = "", missingFile, differences = [], defaultEncoding = [] }: Font,
): string | undefined {
  const isNamed = missingFile === true || (defaultEncoding[0x80] === "Euro" && defaultEncoding[0x27] === "quotesingle");
  const glyph = differences[code] || (isNamed ? defaultEncoding[code] : undefined);
  const named = glyph === undefined || glyph === "" ? undefined : charactersOfGlyph(glyph);
  if (named !== undefined) return named;
  const symbol = readSymbols(character, familyOf(name));
  if (symbol.unknown === 0 && !meaningless.test(symbol.text)) return symbol.text;
  return corporate(character);
}

/** Old-style figures and small capitals that Adobe keeps from U+F721 to U+F7FF, each at the place of its Latin character. */
function corporate(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  const latin = String.fromCodePoint(code & 0xff);
  return code >= 0xf721 && code <= 0xf7ff && /[\p{L}\p{N}\p{P}\p{S}]/u.test(latin) ? latin : undefined;
}

/** Without the mark of a subset and the style: `ABCDEF+Wingdings-Regular` is Wingdings. */
const familyOf = (name: string) =>
  name
    .replace(/^[A-Z]{6}\+/, "")
    .replace(/(?:MT|PS)?(?:[-,](?:Regular|Bold|Italic|Roman)(?:MT)?)?$/, "")
    .replace(/(\D)([23])$/, "$1 $2");

/** Readings of characters that have only one on the page. */
function uniqueReadings(glyphs: readonly Reading[]): ReadonlyMap<string, string | undefined> {
  const unique = new Map<string, string | undefined>();
  for (const { character, reading } of glyphs)
    unique.set(character, unique.has(character) && unique.get(character) !== reading ? undefined : reading);
  return unique;
}
