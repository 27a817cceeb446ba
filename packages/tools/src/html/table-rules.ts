import type TurndownService from "turndown";

/** Tables as GitHub writes them; Turndown itself only knows CommonMark, which has none. Each cell has a column: no cell spans others. */
export function addTableRules(markdown: TurndownService): void {
  markdown.addRule("cell", { filter: ["th", "td"], replacement: (content) => ` ${onOneLine(content)} |` });
  markdown.addRule("row", {
    filter: "tr",
    replacement: (content) => (content.replace(/[ |]+/g, "") === "" ? "" : `|${content.replaceAll("\n", "")}\n`),
  });
  markdown.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  markdown.addRule("table", { filter: "table", replacement: (content) => `\n\n${underlineHeader(content.trim())}\n\n` });
}

/** A line of a list, of code or of a table in a cell is apart from the next one. */
function onOneLine(content: string): string {
  const lines = content.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return lines
    .filter((line) => line !== "" && !/^`{3,}[\w+#.-]{0,40}$/.test(line) && !/^\| --- [| -]*$/.test(line))
    .join(" <br> ")
    .replaceAll("|", "\\|");
}

/** The first line is the header: the format has no table without one. */
function underlineHeader(rows: string): string {
  const [header = "", ...others] = rows.split("\n");
  if (!header.startsWith("|")) return rows;
  const columns = header.replaceAll("\\|", "").split("|").length - 2;
  return [header, `|${" --- |".repeat(columns)}`, ...others].join("\n");
}
