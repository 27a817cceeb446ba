import { childOf, elementsOf, settingOf, textOf, type XmlElement } from "./xml.ts";

/** A formula in one line (ECMA-376, part 1, 22.1): `(a+b)/c`, `x^2`, `√(x)`. */
export function writeFormula(element: XmlElement): string {
  const writer = writers.get(element.name);
  if (writer) return writer(element);
  if (element.name === "m:t" || element.name === "w:t") return textOf(element);
  if (element.name.endsWith("Pr")) return "";
  let [text, last] = ["", ""];
  for (const each of elementsOf(element)) {
    const next = writeFormula(each);
    if (next === "") continue;
    text += isApart([text, last], [next, each.name]) ? ` ${next}` : next;
    last = each.name;
  }
  return text;
}

type Part = readonly [text: string, name: string];

/** Runs are cut anywhere, and a number may stand before a letter: `2x^2`. Other parts would run into one word: `y^3` and `a/b`, or `10` and `2^4`. */
function isApart([before, last]: Part, [after, name]: Part): boolean {
  if (!/[\p{L}\p{N}]$/u.test(before) || !/^[\p{L}\p{N}]/u.test(after) || (last === "m:r" && name === "m:r")) return false;
  return last !== "m:r" || name === "m:func" || name === "m:rad" || (/\d$/.test(before) && /^\d/.test(after));
}

const part = (element: XmlElement, name: string) => {
  const found = childOf(element, name);
  return found ? writeFormula(found) : "";
};

/** In brackets, unless it is one letter, name or number. */
const grouped = (text: string) => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);
const raised = (mark: string, text: string) => (text === "" ? "" : `${mark}${grouped(text)}`);
const charOf = (element: XmlElement, properties: string, [name, usual]: readonly [name: string, usual: string]) => {
  const found = childOf(childOf(element, properties), name);
  return found ? (found.attributes.get("m:val") ?? "") : usual;
};
const items = (element: XmlElement, name: string) => elementsOf(element).filter((child) => child.name === name);

const writers: ReadonlyMap<string, (element: XmlElement) => string> = new Map([
  ["m:f", (it) => `${grouped(part(it, "m:num"))}/${grouped(part(it, "m:den"))}`],
  ["m:sSup", (it) => `${grouped(part(it, "m:e"))}${raised("^", part(it, "m:sup"))}`],
  ["m:sSub", (it) => `${grouped(part(it, "m:e"))}${raised("_", part(it, "m:sub"))}`],
  ["m:sSubSup", (it) => `${grouped(part(it, "m:e"))}${raised("_", part(it, "m:sub"))}${raised("^", part(it, "m:sup"))}`],
  ["m:sPre", (it) => `${raised("_", part(it, "m:sub"))}${raised("^", part(it, "m:sup"))} ${part(it, "m:e")}`],
  ["m:rad", (it) => `${part(it, "m:deg") === "" ? "" : `${part(it, "m:deg")}`}√(${part(it, "m:e")})`],
  ["m:limLow", (it) => `${part(it, "m:e")}${raised("_", part(it, "m:lim"))}`],
  ["m:limUpp", (it) => `${part(it, "m:e")}${raised("^", part(it, "m:lim"))}`],
  ["m:func", (it) => `${part(it, "m:fName")} ${grouped(part(it, "m:e"))}`],
  ["m:acc", (it) => `${grouped(part(it, "m:e"))}${charOf(it, "m:accPr", ["m:chr", "\u0302"])}`],
  ["m:eqArr", (it) => items(it, "m:e").map(writeFormula).join("; ")],
  [
    "m:m",
    (it) =>
      `[${items(it, "m:mr")
        .map((row) => items(row, "m:e").map(writeFormula).join(", "))
        .join("; ")}]`,
  ],
  [
    "m:nary",
    (it) =>
      `${charOf(it, "m:naryPr", ["m:chr", "∫"])}${raised("_", part(it, "m:sub"))}${raised("^", part(it, "m:sup"))} ${part(it, "m:e")}`,
  ],
  [
    "m:d",
    (it) => {
      const inner = items(it, "m:e")
        .map(writeFormula)
        .join(charOf(it, "m:dPr", ["m:sepChr", "|"]));
      return `${charOf(it, "m:dPr", ["m:begChr", "("])}${inner}${charOf(it, "m:dPr", ["m:endChr", ")"])}`;
    },
  ],
  ["w:r", (it) => (settingOf(childOf(it, "w:rPr"), "w:vanish") === undefined ? elementsOf(it).map(writeFormula).join("") : "")],
]);
