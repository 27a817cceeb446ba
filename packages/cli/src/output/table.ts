/** Columns for a screen: each as wide as its widest cell, the last one cut to what is left of `width`. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[], width = 120): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === head.length - 1 ? shorten(cell, Math.max(20, width - before)) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [head.map((title) => title.toUpperCase()), ...rows].map(line).join("\n");
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 3).trimEnd()}...`;
}
