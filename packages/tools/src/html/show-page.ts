import type { DefaultTreeAdapterTypes } from "parse5";
import { numberList } from "./number-list.ts";
import {
  attributeOf,
  contentOf,
  elementsBelow,
  findElement,
  isElement,
  isNamed,
  isText,
  makeElement,
  makeText,
  type PageElement,
  type PageNode,
  type PageParent,
  parsePage,
  setChildren,
  textOf,
} from "./page-tree.ts";
import { ScriptMarks } from "./script-marks.ts";
import { showMath } from "./show-math.ts";
import { spreadTable } from "./spread-table.ts";

/** Pages in frames of pages in frames that are read. */
const mostFrames = 3;

/**
 * Turns the tree of a page into what a reader sees of it: shadow roots and framed documents in their place, formulas once, the words of controls, tables
 * without spans, and no scripts, styles or templates. What a page only hides stays: scripts that are not run would show it.
 */
export function showPage(document: DefaultTreeAdapterTypes.Document, options: { readonly noscript: boolean }): PageElement {
  const html = document.childNodes.find((each) => isNamed(each, "html"));
  const body = html && "childNodes" in html ? html.childNodes.find((each) => isNamed(each, "body", "frameset")) : undefined;
  return makeElement("body", body && isElement(body) ? new PageReader(options).children(body) : []);
}

/** What is shown in the place of an element, which stands behind another node. */
type Special = (element: PageElement, before: PageNode | undefined) => readonly PageNode[];

const each = (names: readonly string[], special: Special): readonly (readonly [string, Special])[] => names.map((name) => [name, special]);

class PageReader {
  readonly #options: { readonly noscript: boolean; readonly frames?: number };
  readonly #marks = new ScriptMarks();
  /** Elements that hold a formula and nothing that is a block. */
  readonly #formulas = new WeakSet<PageNode>();
  /** What stands in the slots of the shadow roots that are open, the innermost last. */
  readonly #slots: Map<string, PageNode[]>[] = [];

  constructor(options: { readonly noscript: boolean; readonly frames?: number }) {
    this.#options = options;
  }

  /** What is shown of the children of a node. */
  children(parent: PageParent): readonly PageNode[] {
    const shown = parent.childNodes.flatMap((child, at) => this.#show(child, parent.childNodes[at - 1]));
    return this.#withoutDoubles(parent, shown);
  }

  #show(node: PageNode, before: PageNode | undefined): readonly PageNode[] {
    if (isText(node)) {
      this.#marks.pass(node.value);
      return [node];
    }
    if (!isElement(node)) return [];
    const special = this.#specials.get(node.tagName);
    if (special) return special(node, before);
    setChildren(node, this.#childrenOfHost(node) ?? this.children(node));
    // Nothing else keeps them apart: what they look like is in styles.
    const isApart = node.tagName.includes("-") || (node.tagName === "a" && before !== undefined && isNamed(before, "a"));
    return isApart ? [makeText(" "), node, makeText(" ")] : [node];
  }

  readonly #specials: ReadonlyMap<string, Special> = new Map<string, Special>([
    ...each(["style", "template", "datalist", "title", "desc", "head"], () => []),
    ...each(["summary", "legend", "dialog", "search", "optgroup"], (block) => [this.#block(block)]),
    ...each(["input", "select", "textarea", "button"], (control) => showControl(control, this.children(control))),
    ["script", (element, before) => this.#script(element, before)],
    ["noscript", (element) => (this.#options.noscript ? [this.#block(element)] : [])],
    ["iframe", (element) => this.#framed(attributeOf(element, "srcdoc"))],
    ["frame", (element) => this.#frame(attributeOf(element, "src"))],
    ["noframes", (element) => this.#framed(textOf(element))],
    ["math", (element) => [this.#formula(makeText(showMath(element)))]],
    ["slot", (element) => this.#slot(element)],
    ["sup", (element) => this.#marks.raise(element, this.children(element))],
    ["sub", (element) => this.#marks.lower(this.children(element))],
    ["rt", (element) => this.#reading(element)],
    ["code", (element) => this.#code(element)],
    ["q", (element) => [makeText('"'), ...this.children(element), makeText('"')]],
    [
      "ol",
      (element) => {
        setChildren(element, this.children(element));
        return numberList(element);
      },
    ],
    [
      "table",
      (element) => {
        setChildren(element, this.children(element));
        return spreadTable(element);
      },
    ],
  ]);

  #block(element: PageElement): PageElement {
    return makeElement("div", this.children(element));
  }

  #formula(text: PageNode): PageNode {
    this.#formulas.add(text);
    return text;
  }

  /** Formulas come twice, as MathML and as what is drawn of it, which is hidden from those who have the first. */
  #withoutDoubles(parent: PageParent, shown: readonly PageNode[]): readonly PageNode[] {
    if (!shown.some((each) => this.#formulas.has(each))) return shown;
    const isOfMath =
      isElement(parent) &&
      (["span", "nobr"].includes(parent.tagName) || /math|katex|mjx/i.test(`${parent.tagName} ${attributeOf(parent, "class")}`));
    if (!isOfMath) return shown;
    this.#formulas.add(parent);
    return shown.filter((each) => !isElement(each) || attributeOf(each, "aria-hidden") !== "true");
  }

  /** TeX that a script of the page would draw, where it has not been drawn yet. */
  #script(script: PageElement, before: PageNode | undefined): readonly PageNode[] {
    if (!/^math\/(?:tex|asciimath)/i.test(attributeOf(script, "type") ?? "")) return [];
    const isDrawn =
      before && (this.#formulas.has(before) || (isElement(before) && /\bMathJax(?!_Preview)/.test(attributeOf(before, "class") ?? "")));
    return isDrawn ? [] : [makeText(`$${textOf(script).trim()}$`)];
  }

  /** Code of several lines is a block, whether the page calls it one or not. */
  #code(code: PageElement): readonly PageNode[] {
    setChildren(code, this.children(code));
    const isBlock = code.parentNode !== null && isNamed(code.parentNode, "pre");
    return !isBlock && findElement(code, (each) => isNamed(each, "br", "div", "p", "li")) ? [makeElement("pre", [code])] : [code];
  }

  /** A page that another one shows beside others: pages of frames have no words of their own. */
  #frame(src = ""): readonly PageNode[] {
    return src === "" ? [] : [makeElement("p", [makeElement("a", [makeText(`[Frame: ${src}]`)], { href: src })])];
  }

  /** A document within an attribute of a page, or within an element that browsers with frames do not read. */
  #framed(text: string | undefined): readonly PageNode[] {
    const { frames = 0 } = this.#options;
    if (!text?.trim() || frames >= mostFrames) return [];
    const document = parsePage(text);
    const body = findElement(document, (each) => isNamed(each, "body", "frameset"));
    return body ? [makeElement("div", new PageReader({ ...this.#options, frames: frames + 1 }).children(body))] : [];
  }

  /** A declarative shadow root with the children of its host in its slots (HTML, 4.12.4). Others are shown below it. */
  #childrenOfHost(host: PageElement): readonly PageNode[] | undefined {
    const template = host.childNodes.find((each) => isNamed(each, "template") && attributeOf(each, "shadowrootmode") !== undefined);
    const root = template && contentOf(template)[0];
    if (!root) return undefined;
    const slots = Map.groupBy(this.children(host), (each) => (isElement(each) ? (attributeOf(each, "slot") ?? "") : ""));
    this.#slots.push(slots);
    const shown = this.children(root);
    this.#slots.pop();
    return [...shown, ...[...slots.values()].flat()];
  }

  #slot(slot: PageElement): readonly PageNode[] {
    const slots = this.#slots.at(-1);
    const name = attributeOf(slot, "name") ?? "";
    const given = slots?.get(name);
    if (!given) return this.children(slot);
    slots?.delete(name);
    return given;
  }

  /** How characters are read, in brackets where the page has none. */
  #reading(rt: PageElement): readonly PageNode[] {
    const ruby = rt.parentNode;
    const hasBrackets = ruby?.childNodes.some((each) => isNamed(each, "rp"));
    const children = this.children(rt);
    return hasBrackets ? children : [makeText("("), ...children, makeText(")")];
  }
}

/** The words that a control of a form shows, with blanks around them: nothing else keeps controls apart. */
function showControl(control: PageElement, children: readonly PageNode[]): readonly PageNode[] {
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
