import { cutLine, mostOfChunk, type Piece } from "./cut-text.ts";

/** Lines that one record of a table may have: a longer one has a quote that is no mark. */
const mostLines = 100;
/** Characters of a heading that stands before each value of a wide table. */
const longestHeading = 80;

interface TableRecord {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Cuts a CSV table between its records, each passage with the heading row. Where that is too long to be repeated, each value stands on a line of its own
 * behind its heading. *Contract:* takes time that grows with the length alone.
 */
export function cutTable(text: string): readonly Piece[] {
  const [header, ...records] = recordsOf(text.split("\n"));
  if (!header) return [];
  if (header.text.length > mostOfChunk / 2) {
    const row = join(cutRecord(header, mostOfChunk), "");
    return [...row, ...join([...writeRecords(header, records)], "")];
  }
  const head = `${header.text}\n`;
  const pieces = join(
    [...records].flatMap((record) => cutRecord(record, mostOfChunk - head.length)),
    head,
  );
  const [first, ...others] = pieces;
  return first ? [{ ...first, from: header.from }, ...others] : [header];
}

/** Lines of one record belong together: a value in quotes may hold ends of lines (RFC 4180, 2.6). A line for programs goes with the header. */
function* recordsOf(lines: readonly string[]): Generator<TableRecord> {
  let at = 0;
  while (at < lines.length) {
    const from = at;
    if (/^\s*$/.test(lines[at] ?? "")) {
      at += 1;
      continue;
    }
    if (/^sep=.$/i.test(lines[at] ?? "") && at + 1 < lines.length) at += 1;
    at = endOfRecord(lines, at) + 1;
    yield { text: lines.slice(from, at).join("\n"), from, to: at - 1 };
  }
}

const quotesIn = (line: string) => line.split('"').length - 1;

function endOfRecord(lines: readonly string[], from: number): number {
  const first = lines[from] ?? "";
  let quotes = quotesIn(first);
  if (quotes % 2 === 0 || !/(?:^|[,;\t|]) ?"/.test(first)) return from;
  for (let at = from + 1; at < Math.min(lines.length, from + mostLines); at += 1) {
    quotes += quotesIn(lines[at] ?? "");
    if (quotes % 2 === 0) return at;
  }
  return from;
}

function cutRecord({ text, from, to }: TableRecord, most: number): readonly TableRecord[] {
  return text.length <= most ? [{ text, from, to }] : cutLine(text, most).map((part) => ({ text: part, from, to }));
}

/** As many parts as fit, behind the head. */
function join(parts: readonly TableRecord[], head: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let open: { readonly texts: string[]; length: number; readonly from: number; to: number } | undefined;
  const close = () => open && pieces.push({ text: `${head}${open.texts.join("\n")}`, from: open.from, to: open.to });
  for (const { text, from, to } of parts) {
    if (open && open.length + 1 + text.length > mostOfChunk) {
      close();
      open = undefined;
    }
    open ??= { texts: [], length: head.length - 1, from, to };
    open.texts.push(text);
    open.length += text.length + 1;
    open.to = to;
  }
  close();
  return pieces;
}

/** Each value behind its heading. */
function* writeRecords(header: TableRecord, records: readonly TableRecord[]): Generator<TableRecord> {
  const names = header.text.replace(/^sep=.\n/i, "");
  const [separator = ","] = [",", ";", "\t", "|"].sort((one, other) => names.split(other).length - names.split(one).length);
  const headings = valuesOf(names, separator).map((name) => name.trim().slice(0, longestHeading).toWellFormed());
  for (const { text, from, to } of records) {
    for (const [at, value] of valuesOf(text, separator).entries()) {
      const heading = `${headings[at] ?? `Column ${at + 1}`}: `;
      if (value.trim() === "") continue;
      for (const part of cutLine(value, mostOfChunk - heading.length)) yield { text: `${heading}${part}`, from, to };
    }
  }
}

/** The values of a record, without the quotes around them. */
function valuesOf(record: string, separator: string): readonly string[] {
  const values: string[] = [];
  let at = 0;
  while (at <= record.length) {
    const isQuoted = record[at] === '"';
    let end = isQuoted ? endOfQuoted(record, at) : at;
    end = record.indexOf(separator, end);
    if (end < 0) end = record.length;
    const value = record.slice(at, end);
    values.push(isQuoted ? value.trim().replace(/^"|"$/g, "").replaceAll('""', '"') : value);
    at = end + 1;
  }
  return values;
}

/** Behind the quote that ends a value: two of them are one character of it. */
function endOfQuoted(record: string, from: number): number {
  for (let at = record.indexOf('"', from + 1); at >= 0; at = record.indexOf('"', at + 2)) if (record[at + 1] !== '"') return at + 1;
  return from + 1;
}
