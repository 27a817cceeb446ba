import { attributeOf, elementsBelow, isNamed, makeElement, type PageElement, type PageNode, setChildren, textOf } from "./page-tree.ts";

/** Empty cells for each cell that a table really has, at most: a page can ask for millions. */
const mostEmpty = 16;

/**
 * Gives each cell its own column: cells that span rows or columns get empty ones beside and below them, as Markdown knows no spans. The caption comes
 * before the table. A table that only lays out a page becomes blocks, one for each cell.
 */
export function spreadTable(table: PageElement): readonly PageNode[] {
  // What stands below a table may be written above its rows.
  setChildren(
    table,
    table.childNodes.toSorted((one, other) => Number(isNamed(one, "tfoot")) - Number(isNamed(other, "tfoot"))),
  );
  const own = ownParts(table);
  const captions = own.filter((each) => isNamed(each, "caption")).map(({ childNodes }) => makeElement("div", childNodes));
  const rows = own.filter((each) => isNamed(each, "tr"));
  const cells = rows.map((row) => row.childNodes.filter((each) => isNamed(each, "td", "th")));
  if (captions.length === 0 && isLayout(table, cells))
    return [
      ...captions,
      makeElement(
        "div",
        cells.flat().map(({ childNodes }) => makeElement("div", childNodes)),
      ),
    ];
  const groups = Map.groupBy(rows, ({ parentNode }) => parentNode);
  let room = mostEmpty * (cells.flat().length + 1);
  for (const group of groups.values()) room = spread(group, room);
  evenOut(rows);
  setChildren(
    table,
    table.childNodes.filter((each) => !isNamed(each, "caption")),
  );
  return [...captions, table];
}

/** Captions, rows and groups of rows of a table itself, not of those in its cells. */
function ownParts(table: PageElement): readonly PageElement[] {
  const parts = table.childNodes.filter((each) => isNamed(each, "caption", "tr", "tbody", "thead", "tfoot"));
  return parts.flatMap((part) =>
    ["caption", "tr"].includes(part.tagName) ? [part] : part.childNodes.filter((each) => isNamed(each, "tr")),
  );
}

/** Puts each cell of a group of rows in its column. Returns how many empty cells there is still room for. */
function spread(rows: readonly PageElement[], most: number): number {
  /** The row up to which cells above reach into a column. */
  const takenUntil = new Map<number, number>();
  let room = most;
  for (const [at, row] of rows.entries()) {
    const filled: PageElement[] = [];
    const fill = () => {
      filled.push(emptyCell());
      room -= 1;
    };
    for (const cell of row.childNodes.filter((each) => isNamed(each, "td", "th"))) {
      while ((takenUntil.get(filled.length) ?? 0) > at && room > 0) fill();
      const [wide, high] = [spanOf(cell, "colspan", 1_000), spanOf(cell, "rowspan", 65_534)];
      const from = filled.push(cell) - 1;
      for (let more = 1; more < wide && room > 0; more += 1) fill();
      for (let column = from; column < filled.length && high !== 1; column += 1)
        takenUntil.set(column, high === 0 ? rows.length : at + high);
    }
    setChildren(row, filled);
  }
  return room;
}

const emptyCell = () => makeElement("td", []);
const isEmptyCell = (node: PageNode) => isNamed(node, "td") && node.childNodes.length === 0 && node.attrs.length === 0;

/** Empty cells at the end of a row say nothing, but the first row names how many columns there are. */
function evenOut([first, ...others]: readonly PageElement[]): void {
  if (!first) return;
  for (const row of [first, ...others])
    setChildren(row, row.childNodes.slice(0, row.childNodes.findLastIndex((each) => !isEmptyCell(each)) + 1));
  const columns = others.reduce((most, { childNodes }) => Math.max(most, childNodes.length), 0);
  const missing = Math.max(0, columns - first.childNodes.length);
  setChildren(first, [...first.childNodes, ...Array.from({ length: missing }, emptyCell)]);
}

function spanOf(cell: PageElement, name: string, most: number): number {
  const span = Number.parseInt(attributeOf(cell, name) ?? "1", 10);
  return Number.isNaN(span) || span < 0 ? 1 : Math.min(span, most);
}

/** Characters of a cell that is a part of a page rather than of a table. */
const longCell = 1_000;

/** No header, and a cell for each row, a block that fits into no line, or much text in paragraphs. */
function isLayout(table: PageElement, rows: readonly (readonly PageElement[])[]): boolean {
  if (["presentation", "none"].includes(attributeOf(table, "role") ?? "")) return true;
  const cells = rows.flat();
  if (cells.some((cell) => isNamed(cell, "th"))) return false;
  return rows.every((row) => row.length <= 1) || cells.some(isPartOfPage);
}

function isPartOfPage(cell: PageElement): boolean {
  let hasBlocks = false;
  for (const each of elementsBelow(cell)) {
    if (isNamed(each, "pre", "h1", "h2", "h3", "h4", "h5", "h6")) return true;
    hasBlocks ||= isNamed(each, "p", "div", "ul", "ol", "table");
  }
  return hasBlocks && textOf(cell).length > longCell;
}
