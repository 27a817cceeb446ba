import { oneLine } from "@toolwright/engine/visible-text";

/** Names of tools, agents and tenants, and ids, are not longer: they stay whole, to be copied. */
const mostOfColumn = 64;

/** Columns for a screen: each as wide as its widest cell, the last one cut to what is left of `width`. Nothing in a cell is obeyed (R-AU-3). */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[], width = 120): string {
  const last = head.length - 1;
  const shown = rows.map((row) => row.map((cell, column) => (column === last ? oneLine(cell) : shorten(oneLine(cell), mostOfColumn))));
  const widths = head.map((title, column) => Math.max(title.length, ...shown.map((row) => (row[column] ?? "").length)));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === last ? shorten(cell, Math.max(20, width - before)) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [head.map((title) => title.toUpperCase()), ...shown].map(line).join("\n");
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 3).trimEnd()}...`;
}
