import type { DocumentPart } from "@toolwright/engine/ports";

interface Heading {
  readonly level: number;
  readonly title: string;
}

interface MarkdownOptions {
  /** Without it the lines are not those of the file. */
  readonly lines: boolean;
}

/** Cuts Markdown at its headings; the lines of all parts together are those of the text. */
export function readSections(text: string, { lines: hasLines }: MarkdownOptions): readonly DocumentPart[] {
  const lines = text.split(/\r\n|\r|\n/);
  const parts: DocumentPart[] = [];
  const above: Heading[] = [];
  let begin = 0;
  const close = (end: number) => {
    const section = lines.slice(begin, end);
    if (section.length > 0 && (section.some((line) => line.trim() !== "") || parts.length === 0)) {
      const headings = above.map(({ title }) => title);
      parts.push({ headings, ...(hasLines && { lines: [begin + 1, end] as const }), text: section.join("\n") });
    }
    begin = end;
  };
  for (const { at, level, title } of findHeadings(lines)) {
    if (at > begin) close(at);
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    above.push({ level, title });
  }
  close(lines.length);
  return parts;
}

/** The first heading of the highest level. */
export function titleOf(parts: readonly DocumentPart[]): string | undefined {
  return parts.find(({ headings }) => headings.length > 0)?.headings[0];
}

/** Headings of both forms (CommonMark 4.2 and 4.3), none of which stands in a block of code. */
function* findHeadings(lines: readonly string[]): Generator<Heading & { readonly at: number }> {
  let fence: string | undefined;
  for (const [at, line] of lines.entries()) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    if (fence !== undefined || mark !== undefined) continue;
    const [, hashes, title = ""] = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? [];
    if (hashes !== undefined) yield { at, level: hashes.length, title: plain(title) };
    const [, underline] = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(lines[at + 1] ?? "") ?? [];
    const isText = /^ {0,3}[^\s#>|-]/.test(line) && (at === 0 || (lines[at - 1] ?? "").trim() === "");
    if (hashes === undefined && underline !== undefined && isText)
      yield { at, level: underline.startsWith("=") ? 1 : 2, title: plain(line) };
  }
}

/** A title without its marks. */
const plain = (title: string) =>
  title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]+|\\(?=[^\w\s])/g, "")
    .trim();
