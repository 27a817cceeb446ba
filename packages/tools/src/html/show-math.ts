import { attributeOf, findElement, isElement, isNamed, type PageElement, type PageNode, textOf } from "./page-tree.ts";

/** A formula as one text: its TeX where the page has it, and else its MathML on one line. */
export function showMath(math: PageElement): string {
  const annotation = findElement(math, (each) => isNamed(each, "annotation") && /tex/i.test(attributeOf(each, "encoding") ?? ""));
  const tex = (annotation ? textOf(annotation) : (attributeOf(math, "alttext") ?? "")).replace(/\s+/g, " ").trim();
  return tex === "" ? onOneLine(math).replace(/\s+/g, " ").trim() : `$${tex}$`;
}

type Writer = (...parts: readonly string[]) => string;

/** A part that is more than one sign stands in brackets. */
const grouped = (part = "") => (/^(?:[\p{N}.]*|\p{L})$/u.test(part) ? part : `(${part})`);

const writers: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ["msup", (base, power) => `${base}^${grouped(power)}`],
  ["msub", (base, index) => `${base}_${grouped(index)}`],
  ["msubsup", (base, index, power) => `${base}_${grouped(index)}^${grouped(power)}`],
  ["mfrac", (over, under) => `${grouped(over)}/${grouped(under)}`],
  ["msqrt", (...parts) => `sqrt(${parts.join("")})`],
  ["mroot", (base, index) => `root_${grouped(index)}(${base})`],
  ["mover", (base, over) => `${base}^${grouped(over)}`],
  ["munder", (base, under) => `${base}_${grouped(under)}`],
  ["munderover", (base, under, over) => `${base}_${grouped(under)}^${grouped(over)}`],
  ["mtr", (...cells) => `${cells.join(", ")}; `],
  ["mtable", (...rows) => `[${rows.join("").replace(/; $/, "")}]`],
]);

function onOneLine(node: PageNode): string {
  if (!isElement(node)) return textOf(node).trim();
  if (["annotation", "annotation-xml"].includes(node.tagName)) return "";
  const parts = node.childNodes.map(onOneLine).filter((part) => part !== "");
  return writers.get(node.tagName)?.(...parts) ?? parts.join("");
}
