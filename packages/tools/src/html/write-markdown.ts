import { parseHTML } from "linkedom";
import { type DefaultTreeAdapterTypes, serialize } from "parse5";
import TurndownService from "turndown";
import { makeElement, type PageNode } from "./page-tree.ts";

export interface LinkOptions {
  /** Relative links are resolved against it. */
  readonly url: string;
  /** Without links their text stays. */
  readonly links: boolean;
}

/** The document of a tree as a DOM, for libraries that read one. It is inert: linkedom runs no scripts and loads nothing. */
export const openDom = (document: DefaultTreeAdapterTypes.ParentNode) => parseHTML(serialize(document)).document;

/** Writes what a page shows as Markdown. Its words stay as they are: they are searched and quoted. */
export function writeMarkdown(nodes: readonly PageNode[], options: LinkOptions): string {
  const body = makeElement("body", nodes);
  const dom = parseHTML(`<!doctype html><html>${serialize(makeElement("html", [body]))}</html>`).document;
  return createMarkdown(options).turndown(dom.body);
}

function createMarkdown({ url, links }: LinkOptions): TurndownService {
  const markdown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  // What would be a heading, a row or a block of code is still escaped.
  markdown.escape = (text) => text.replace(/^(#{1,6} |\||```|~~~)/, "\\$1");
  markdown.addRule("heading", {
    filter: ["h1", "h2", "h3", "h4", "h5", "h6"],
    replacement: (content, node) => `\n\n${"#".repeat(Number(nameOf(node).slice(1)))} ${onOneLine(content)}\n\n`,
  });
  markdown.addRule("code", {
    filter: (node) => ["PRE", "XMP", "LISTING", "PLAINTEXT"].includes(nameOf(node)),
    replacement: (_content, node) => writeCode(node as DomNode),
  });
  for (const [name, mark] of [
    ["deleted", { filter: ["del", "s", "strike"], open: "~~", close: "~~" }],
    ["inserted", { filter: ["ins"], open: "<ins>", close: "</ins>" }],
  ] as const)
    markdown.addRule(name, {
      filter: [...mark.filter] as TurndownService.TagName[],
      replacement: (content) => eachLine(content, (line) => `${mark.open}${line}${mark.close}`),
    });
  for (const [name, tags, mark] of [
    ["emphasis", ["em", "i"], "_"],
    ["strong", ["strong", "b"], "**"],
  ] as const)
    markdown.addRule(name, {
      filter: [...tags],
      replacement: (content, node) => (content.trim() === "" || breaksWord(node as DomNode) ? content : `${mark}${content}${mark}`),
    });
  markdown.addRule("link", {
    filter: "a",
    replacement: (content, node) => writeLink(content, links ? URL.parse((node as DomNode).getAttribute("href") ?? "", url) : null),
  });
  markdown.addRule("image", {
    filter: "img",
    replacement: (_content, node) => {
      const text = (node as DomNode).getAttribute("alt")?.replace(/\s+/g, " ").trim();
      return text ? `[Image: ${text}]` : "";
    },
  });
  addTableRules(markdown);
  return markdown;
}

/** Tables as GitHub writes them; Turndown itself only knows CommonMark, which has none. Each cell has a column: no cell spans others. */
function addTableRules(markdown: TurndownService): void {
  markdown.addRule("cell", { filter: ["th", "td"], replacement: (content) => ` ${cellOnOneLine(content)} |` });
  markdown.addRule("row", {
    filter: "tr",
    replacement: (content) => (content.replace(/[ |]+/g, "") === "" ? "" : `|${content.replaceAll("\n", "")}\n`),
  });
  markdown.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  markdown.addRule("table", { filter: "table", replacement: (content) => `\n\n${underlineHeader(content.trim())}\n\n` });
}

/** A line of a list, of code or of a table in a cell is apart from the next one. */
function cellOnOneLine(content: string): string {
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

interface DomNode {
  readonly nodeName: string;
  readonly childNodes: Iterable<DomNode>;
  readonly nodeValue: string | null;
  readonly parentNode: DomNode | null;
  readonly previousSibling: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly firstChild: DomNode | null;
  readonly lastChild: DomNode | null;
  readonly className?: string;
  getAttribute(name: string): string | null;
}

/** Elements that stand within a line, and within a word. */
const inLine = ["#text", "A", "ABBR", "B", "BDI", "BDO", "CITE", "EM", "FONT", "I", "MARK", "SMALL", "SPAN", "STRONG", "U"];

/** True where a word goes on behind the end of an element, or before its beginning. */
function breaksWord(node: DomNode): boolean {
  const goesOn = (one: DomNode | null, other: DomNode | null) =>
    endsInWord(edgeOf(one, "lastChild")) && beginsWord(edgeOf(other, "firstChild"));
  return goesOn(beside(node, "previousSibling"), node) || goesOn(node, beside(node, "nextSibling"));
}

/** What touches an element on one side. */
function beside(node: DomNode, side: "previousSibling" | "nextSibling"): DomNode | null {
  let at: DomNode | null = node;
  while (at && !at[side] && inLine.includes(at.parentNode?.nodeName ?? "")) at = at.parentNode;
  return at?.[side] ?? null;
}

/** The text at an edge of what stands within a line. */
function edgeOf(node: DomNode | null, edge: "firstChild" | "lastChild"): string {
  let at = node;
  while (at && inLine.includes(at.nodeName) && at[edge]) at = at[edge];
  return at?.nodeName === "#text" ? (at.nodeValue ?? "") : "";
}

const endsInWord = (text: string) => /[\p{L}\p{N}]$/u.test(text.slice(-2));
const beginsWord = (text: string) => /^[\p{L}\p{N}]/u.test(text.slice(0, 2));

const onOneLine = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");

const nameOf = (node: unknown) => (node as DomNode).nodeName;

const eachLine = (text: string, write: (line: string) => string) =>
  text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : line.replace(/\S(?:.*\S)?/, write)))
    .join("\n");

/** Only links that a reader can follow are kept; of others the text stays. A link around blocks follows them. */
function writeLink(content: string, target: URL | null): string {
  const text = content.trim();
  if (!text || !target || !["http:", "https:", "mailto:"].includes(target.protocol)) return content;
  const href = target.href.replaceAll("(", "%28").replaceAll(")", "%29");
  return text.includes("\n\n") || /^#{1,6} /.test(text) ? `\n\n${text}\n\n<${href}>\n\n` : `[${text.replace(/\s+/g, " ")}](${href})`;
}

const lineNames = ["DIV", "P", "LI", "TR", "UL", "OL", "TABLE", "H1", "H2", "H3", "H4", "H5", "H6"];

/** A block of code, with the lines that elements make in it. */
function writeCode(node: DomNode): string {
  const pieces: string[] = [];
  gatherCode(node, pieces);
  const text = pieces.join("").replace(/^\n|\n$/g, "");
  if (text.trim() === "") return "";
  const [, language = ""] = /\blang(?:uage)?-(\S+)/.exec([node, ...node.childNodes].map((each) => each.className ?? "").join(" ")) ?? [];
  const longest = Array.from(text.matchAll(/^`{3,}/gm), ([fence]) => fence.length).reduce((one, other) => Math.max(one, other), 2);
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

function gatherCode(node: DomNode, into: string[]): void {
  if (node.nodeName === "#text") into.push(node.nodeValue ?? "");
  else if (node.nodeName === "BR") into.push("\n");
  else {
    const isLine = lineNames.includes(node.nodeName);
    const breakLine = () => isLine && into.length > 0 && !into.at(-1)?.endsWith("\n") && into.push("\n");
    breakLine();
    for (const child of node.childNodes) gatherCode(child, into);
    breakLine();
    if (["TD", "TH"].includes(node.nodeName)) into.push("\t");
  }
}
