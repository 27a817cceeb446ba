/** How many parts of eight of the largest input an input has. */
export const sizes = [1, 2, 4, 8] as const;
export type Size = (typeof sizes)[number];

/** A text of about so many characters. */
interface TextShape {
  readonly name: string;
  write(length: number): string;
}

const repeated = (name: string, unit: string, end = ""): TextShape => ({
  name,
  write: (length) =>
    unit.repeat(Math.max(1, Math.ceil((length - end.length) / unit.length))).slice(0, Math.max(1, length - end.length)) + end,
});

const numbered = (name: string, unit: (index: number) => string): TextShape => ({
  name,
  write(length) {
    const parts: string[] = [];
    for (let index = 0, written = 0; written < length; index += 1) {
      const part = unit(index);
      parts.push(part);
      written += part.length;
    }
    return parts.join("").slice(0, Math.max(1, length));
  },
});

/** What trips parsers and expressions of every kind. */
export const briefTexts: readonly TextShape[] = [
  repeated("a long word that ends wrong", "a", "!"),
  repeated("blanks", " ", "x"),
  repeated("dots and letters", "a."),
  repeated("path parts", "../"),
  repeated("brackets", "("),
  repeated("digits", "1"),
];

/** What trips those of languages: commands, patterns, Markdown, HTML, CSV, patches. */
export const parsedTexts: readonly TextShape[] = [
  ...briefTexts,
  repeated("one long word", "a"),
  repeated("stars", "*a"),
  repeated("many words", "word "),
  numbered("numbered lines", (index) => `line ${index}\n`),
  numbered("numbered words", (index) => `word${index} `),
  repeated("equal lines", "x\n"),
  repeated("line breaks", "\n", "x"),
  repeated("indented lines", "\n    x"),
  repeated("square brackets", "["),
  repeated("braces", "{"),
  repeated("alternatives in braces", "{a,b}"),
  repeated("double stars", "**/"),
  repeated("backslashes", "\\"),
  repeated("single quotes", "'a "),
  repeated("double quotes", '"a '),
  repeated("backticks", "`a "),
  repeated("emphasis", "*a _b "),
  repeated("links of Markdown", "[a](b "),
  repeated("images of Markdown", "![a](b)\n"),
  repeated("quotes of Markdown", "> "),
  repeated("rows of a table", "|a|b|\n"),
  repeated("open tags", "<a "),
  repeated("nested tags", "<div>"),
  repeated("comments of HTML", "<!--"),
  repeated("entities", "&amp;"),
  repeated("substitutions", "$(a "),
  repeated("variables", "${a"),
  repeated("commands", "a;"),
  repeated("pipes", "a|"),
  repeated("here-documents", "<<a\n"),
  repeated("assignments", "a=b "),
  repeated("addresses", "http://a.b/c?d "),
  repeated("mail addresses", "a@a."),
  repeated("commas", "1,"),
  repeated("quoted fields", '"a","b"\n'),
  repeated("combining marks", "e\u0301"),
  repeated("hidden characters", "a\u200b"),
  repeated("surrogate pairs", "😀"),
  repeated("escapes", "%41"),
  repeated("dashes", "a-"),
  repeated("secrets", "sk-aaaaaaaaaaaaaaaaaaaaaaaa "),
  repeated("base64", "QUJD"),
  repeated("hunks", "@@ x\n-a\n+b\n"),
];

/** JSON of many parts, for members that hold any. `count` is how many, at most. */
interface JsonShape {
  readonly name: string;
  /** Of the largest. */
  readonly count: number;
  write(count: number): unknown;
}

const members = (count: number, value: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`member${index}`, value(index)]));

export const jsonShapes: readonly JsonShape[] = [
  { name: "many members", count: 100_000, write: (count) => members(count, (index) => index) },
  {
    name: "members with numbers as names",
    count: 100_000,
    write: (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [String(index * 7), 1])),
  },
  { name: "a long list", count: 400_000, write: (count) => ({ list: Array.from({ length: count }, () => 1) }) },
  { name: "a list of objects", count: 100_000, write: (count) => ({ list: Array.from({ length: count }, (_, index) => ({ id: index })) }) },
  {
    name: "a list of unlike objects",
    count: 50_000,
    write: (count) => ({ list: Array.from({ length: count }, (_, index) => ({ [`member${index}`]: index })) }),
  },
  { name: "long names", count: 2_000, write: (count) => members(count, () => "x".repeat(1_000)) },
  { name: "deep objects", count: 48, write: (count) => nest(count, (inner) => ({ a: inner, b: 1 })) },
  { name: "many deep objects", count: 2_000, write: (count) => members(count, () => nest(40, (inner) => ({ a: inner }))) },
];

function nest(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}
