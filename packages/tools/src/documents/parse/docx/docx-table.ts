import { childOf, elementsOf, settingOf, type XmlElement } from "./xml.ts";

/** Cells of a row as they are shown: one that a span covers is empty. */
export type TableRow = readonly string[];

/** Columns that Word itself allows. */
const mostColumns = 63;
/** What stands between a table and its rows, and a row and its cells, without being one. */
const wrappers = new Set(["w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:smartTag"]);

/** The rows of a table, each cell below its heading (ECMA-376, part 1, 17.4). `deleted` hears of rows that a tracked change took away. */
export function readRows(
  table: XmlElement,
  { readCell, deleted }: { readonly readCell: (cell: XmlElement) => string; readonly deleted: () => void },
): readonly TableRow[] {
  return [...through(table, "w:tr")].flatMap((row): TableRow[] => {
    const properties = childOf(row, "w:trPr");
    if (childOf(properties, "w:del")) {
      deleted();
      return [];
    }
    const cells = [...through(row, "w:tc")].flatMap((cell) => {
      const span = columns(settingOf(childOf(cell, "w:tcPr"), "w:gridSpan"), 1);
      return [readCell(cell), ...Array<string>(Math.max(0, span - 1)).fill("")];
    });
    const [before, after] = [settingOf(properties, "w:gridBefore"), settingOf(properties, "w:gridAfter")];
    return [[...Array<string>(columns(before, 0)).fill(""), ...cells, ...Array<string>(columns(after, 0)).fill("")]];
  });
}

/** Children of a name, also in what wraps them. */
export function* through(element: XmlElement, name: string): Generator<XmlElement> {
  for (const child of elementsOf(element)) {
    if (child.name === name) yield child;
    else if (wrappers.has(child.name)) yield* through(child, name);
  }
}

const columns = (value: string | undefined, usual: number) => Math.min(mostColumns, Math.max(0, Math.trunc(Number(value ?? usual)) || 0));

/** A table as GitHub writes it. A shorter row is filled up by whoever shows it; the heading row has a cell for each column. */
export function writeTable(rows: readonly TableRow[]): string {
  const [header = [], ...others] = rows;
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const heading = [...header, ...Array<string>(width - header.length).fill("")];
  return [writeRow(heading), `|${" --- |".repeat(width)}`, ...others.map(writeRow)].join("\n");
}

const writeRow = (cells: TableRow) => `| ${cells.map(writeCell).join(" | ")} |`;
const writeCell = (text: string) =>
  text
    .trim()
    .replaceAll("|", "\\|")
    .replace(/[ \t]+/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" <br> ");

/** A table within a cell: a line for each row. */
export const writeInnerTable = (rows: readonly TableRow[]) =>
  rows.map((cells) => cells.map((cell) => cell.trim().replace(/\s+/g, " ")).join(" | ")).join("\n");
