import type TurndownService from "turndown";

/** Tables as GitHub writes them; Turndown itself only knows CommonMark, which has none. */
export function addTableRules(markdown: TurndownService): void {
  markdown.addRule("cell", {
    filter: ["th", "td"],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s+/g, (run) => (run.includes("\n") ? " " : run))
        .replaceAll("|", "\\|")} |`,
  });
  markdown.addRule("row", { filter: "tr", replacement: (content) => (content.trim() ? `|${content.replaceAll("\n", "")}\n` : "") });
  markdown.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  markdown.addRule("table", { filter: "table", replacement: (content) => `\n\n${underlineHeader(content.trim())}\n\n` });
}

/** The first line is the header: the format has no table without one. */
function underlineHeader(rows: string): string {
  const [header = "", ...others] = rows.split("\n");
  if (!header.startsWith("|")) return rows;
  const columns = header.replaceAll("\\|", "").split("|").length - 2;
  return [header, `|${" --- |".repeat(columns)}`, ...others].join("\n");
}
