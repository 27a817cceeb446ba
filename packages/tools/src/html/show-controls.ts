import { attributeOf, elementsBelow, isNamed, makeElement, makeText, type PageElement, type PageNode, textOf } from "./page-tree.ts";

/** The words that a control of a form shows, with blanks around them: nothing else keeps controls apart. */
export function showControl(control: PageElement, children: readonly PageNode[]): readonly PageNode[] {
  const shown = controls.get(control.tagName)?.(control, children) ?? children;
  return shown.length === 0 ? [] : [makeText(" "), ...shown, makeText(" ")];
}

const controls: ReadonlyMap<string, (control: PageElement, children: readonly PageNode[]) => readonly PageNode[]> = new Map([
  ["input", showInput],
  ["select", showSelect],
  ["textarea", (area) => (textOf(area).includes("\n") ? [makeElement("pre", [makeText(textOf(area))])] : words(textOf(area)))],
]);

const words = (text: string | undefined) => (text === undefined || text.trim() === "" ? [] : [makeText(text)]);

function showInput(input: PageElement): readonly PageNode[] {
  const type = attributeOf(input, "type")?.toLowerCase() ?? "text";
  if (["hidden", "password", "file", "color", "range"].includes(type)) return [];
  if (type === "checkbox" || type === "radio") return words(attributeOf(input, "checked") === undefined ? "[ ]" : "[x]");
  return words(attributeOf(input, type === "image" ? "alt" : "value"));
}

/** A list shows all of its choices, a closed one what is chosen. */
function showSelect(select: PageElement): readonly PageNode[] {
  const options = [...elementsBelow(select)].filter((each) => isNamed(each, "option"));
  const isOpen = attributeOf(select, "multiple") !== undefined || Number(attributeOf(select, "size") ?? 1) > 1;
  const chosen = options.filter((option) => attributeOf(option, "selected") !== undefined);
  const shown = isOpen ? options : chosen.length > 0 ? chosen.slice(-1) : options.slice(0, 1);
  return words(shown.map((option) => `${isOpen && chosen.includes(option) ? "[x] " : ""}${textOf(option).trim()}`).join(", "));
}
