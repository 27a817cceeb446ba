/** Names of glyphs (Adobe Glyph List) from U+0020 and from U+00A1 on, then others with their characters. */
const ascii =
  "space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore grave a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde";
const latin =
  "exclamdown cent sterling currency yen brokenbar section dieresis copyright ordfeminine guillemotleft logicalnot - registered macron degree plusminus twosuperior threesuperior acute mu paragraph periodcentered cedilla onesuperior ordmasculine guillemotright onequarter onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adieresis Aring AE Ccedilla Egrave Eacute Ecircumflex Edieresis Igrave Iacute Icircumflex Idieresis Eth Ntilde Ograve Oacute Ocircumflex Otilde Odieresis multiply Oslash Ugrave Uacute Ucircumflex Udieresis Yacute Thorn germandbls agrave aacute acircumflex atilde adieresis aring ae ccedilla egrave eacute ecircumflex edieresis igrave iacute icircumflex idieresis eth ntilde ograve oacute ocircumflex otilde odieresis divide oslash ugrave uacute ucircumflex udieresis yacute thorn ydieresis";
const greek =
  "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda - nu xi omicron pi rho sigma1 sigma tau upsilon phi chi psi omega";
const others =
  "Euro € bullet • endash – emdash — quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚ quotedblbase „ ellipsis … dagger † daggerdbl ‡ perthousand ‰ trademark ™ fraction ⁄ minus − guilsinglleft ‹ guilsinglright › OE Œ oe œ Scaron Š scaron š Zcaron Ž zcaron ž Ydieresis Ÿ florin ƒ dotlessi ı Lslash Ł lslash ł circumflex ˆ tilde ˜ fi fi fl fl ff ff ffi ffi ffl ffl sfthyphen - nbspace \u00a0 nonbreakingspace \u00a0 infinity ∞ notequal ≠ lessequal ≤ greaterequal ≥ summation ∑ product ∏ radical √ integral ∫ partialdiff ∂ approxequal ≈ lozenge ◊ arrowleft ← arrowup ↑ arrowright → arrowdown ↓ zerosuperior ⁰ foursuperior ⁴ fivesuperior ⁵ sixsuperior ⁶ sevensuperior ⁷ eightsuperior ⁸ ninesuperior ⁹ zeroinferior ₀ oneinferior ₁ twoinferior ₂ threeinferior ₃ fourinferior ₄ fiveinferior ₅ sixinferior ₆ seveninferior ₇ eightinferior ₈ nineinferior ₉";

const characters: ReadonlyMap<string, string> = new Map([
  ...from(0x20, ascii),
  ...from(0xa1, latin),
  ...from(0x391, greek),
  ...others.split(" ").flatMap((name, index, all): [string, string][] => (index % 2 === 0 ? [[name, all[index + 1] ?? ""]] : [])),
]);

function from(first: number, names: string): (readonly [name: string, character: string])[] {
  return names.split(" ").flatMap((name, index) => (name === "-" ? [] : [[name, String.fromCodePoint(first + index)] as const]));
}

/** The characters that a glyph is named for: `one`, `one.tab`, `oneoldstyle`, `Asmall`, `f_i`, `uni20AC`. Undefined for a name that says nothing, such as `g17`. */
export function charactersOfGlyph(name: string): string | undefined {
  const [base = ""] = name.slice(0, 100).split(".", 1);
  if (base === "") return undefined;
  const parts = base.split("_").map(characterOf);
  return parts.every((part) => part !== undefined) ? parts.join("") : undefined;
}

function characterOf(name: string): string | undefined {
  const [, four, more] = /^(?:uni([\dA-F]{4})|u([\dA-F]{4,6}))$/.exec(name) ?? [];
  const code = Number.parseInt(four ?? more ?? "", 16);
  if (code > 0 && code < 0x110000 && !(code >= 0xd800 && code <= 0xdfff)) return String.fromCodePoint(code);
  return characters.get(name) ?? characters.get(name.replace(/(?:oldstyle|small|fitted|tabular)$/, ""));
}
