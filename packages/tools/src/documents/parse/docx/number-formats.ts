const latin = "abcdefghijklmnopqrstuvwxyz";
const cyrillic = "абвгдежзиклмнопрстуфхцчшщыэюя";
const romans: readonly (readonly [value: number, letters: string])[] = [
  ...([
    [1_000, "m"],
    [900, "cm"],
    [500, "d"],
    [400, "cd"],
    [100, "c"],
    [90, "xc"],
  ] as const),
  ...([
    [50, "l"],
    [40, "xl"],
    [10, "x"],
    [9, "ix"],
    [5, "v"],
    [4, "iv"],
    [1, "i"],
  ] as const),
];
const digitsOfChinese = "〇一二三四五六七八九";
/** Longer labels are hostile: Word counts to 32,767. */
const mostNumber = 32_767;

/** Formats of numbers by their names (ECMA-376, part 1, 17.18.59). */
const formats: ReadonlyMap<string, (number: number) => string> = new Map([
  ["decimal", String],
  ["none", () => ""],
  ["decimalZero", (number) => String(number).padStart(2, "0")],
  ["lowerLetter", (number) => letters(number, latin)],
  ["upperLetter", (number) => letters(number, latin).toUpperCase()],
  ["russianLower", (number) => letters(number, cyrillic)],
  ["russianUpper", (number) => letters(number, cyrillic).toUpperCase()],
  ["lowerRoman", roman],
  ["upperRoman", (number) => roman(number).toUpperCase()],
  ["ordinal", (number) => `${number}${endingOf(number)}`],
  ["numberInDash", (number) => `- ${number} -`],
  ["hex", (number) => number.toString(16).toUpperCase()],
  ["chicago", (number) => (number < 1 ? "" : "*†‡§".charAt((number - 1) % 4).repeat(Math.ceil(number / 4)))],
  ["decimalEnclosedCircle", (number) => (number >= 1 && number <= 20 ? String.fromCodePoint(0x245f + number) : String(number))],
  ["decimalFullWidth", (number) => String(number).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))],
  ["ideographDigital", chineseDigits],
  ...["chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting", "taiwaneseCountingThousand"].map(
    (name) => [name, chinese] as const,
  ),
]);

/** The number in a format, or in that of a sample such as 001; undefined where the format is not known. */
export function formatNumber(number: number, format: string): string | undefined {
  const bounded = Math.max(0, Math.min(mostNumber, Math.trunc(number) || 0));
  return /^0{1,9}1$/.test(format) ? String(bounded).padStart(format.length, "0") : formats.get(format)?.(bounded);
}

/** After z come aa and bb. */
function letters(number: number, alphabet: string): string {
  if (number < 1 || number > 30 * alphabet.length) return String(number);
  return (alphabet[(number - 1) % alphabet.length] ?? "").repeat(Math.ceil(number / alphabet.length));
}

function roman(number: number): string {
  let left = number;
  let written = number === 0 ? "0" : "";
  for (const [value, text] of romans) for (; left >= value; left -= value) written += text;
  return written;
}

function endingOf(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return "th";
  return ["th", "st", "nd", "rd"][number % 10] ?? "th";
}

function chineseDigits(number: number): string {
  return String(number).replace(/\d/g, (digit) => digitsOfChinese[Number(digit)] ?? "");
}

function chinese(number: number): string {
  if (number < 1 || number > 99) return chineseDigits(number);
  const [tens, ones] = [Math.floor(number / 10), number % 10];
  return `${tens > 1 ? digitsOfChinese[tens] : ""}${tens > 0 ? "十" : ""}${ones > 0 || tens === 0 ? digitsOfChinese[ones] : ""}`;
}
