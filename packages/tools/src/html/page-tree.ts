import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parse } from "parse5";

export type PageElement = DefaultTreeAdapterTypes.Element;
export type PageNode = DefaultTreeAdapterTypes.ChildNode;
export type PageParent = DefaultTreeAdapterTypes.ParentNode;

/** Depth at which browsers stop to nest elements, too. What reads the tree may go down it by calls. */
const deepest = 512;

/** The tree of a page as browsers make it of any text (HTML, 13.2), without scripts: what stands in `noscript` are elements. */
export function parsePage(text: string): DefaultTreeAdapterTypes.Document {
  const document = parse(isXml(text) ? withEnds(text) : text, { scriptingEnabled: false });
  flatten(document);
  return document;
}

const isXml = (text: string) => /^\s*<\?xml\s|\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml/.test(text.slice(0, 2_000));

/** Elements of XHTML that end where they begin: as HTML they would take all that follows as their text. */
const withEnds = (text: string) => text.replace(/<(title|script|style|textarea|iframe|noframes|xmp)\b([^<>]*)\/>/gi, "<$1$2></$1>");

/** Flattens what is nested too deep; its words stay. */
function flatten(document: PageParent): void {
  const open: { readonly node: PageParent; readonly depth: number }[] = [{ node: document, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    for (const child of node.childNodes) {
      if (!isElement(child)) continue;
      if (depth >= deepest) setChildren(child, textsBelow(child));
      else open.push(...[child, ...contentOf(child)].map((each) => ({ node: each, depth: depth + 1 })));
    }
  }
}

function textsBelow(top: PageParent): PageNode[] {
  const texts: PageNode[] = [];
  const open: PageNode[] = [...top.childNodes].reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isText(next)) texts.push(next, makeText(" "));
    else if (isElement(next) && !["script", "style"].includes(next.tagName))
      for (const child of next.childNodes.toReversed()) open.push(child);
  }
  return texts;
}

/** What a template holds is no child of it. */
export const contentOf = (node: PageNode): readonly DefaultTreeAdapterTypes.DocumentFragment[] => ("content" in node ? [node.content] : []);

export const isElement = (node: PageNode | PageParent): node is PageElement => "tagName" in node;
export const isText = (node: PageNode): node is DefaultTreeAdapterTypes.TextNode => node.nodeName === "#text";

/** Whether a node is an element with one of these names. */
export const isNamed = (node: PageNode | PageParent, ...names: readonly string[]): node is PageElement =>
  isElement(node) && names.includes(node.tagName);

export const attributeOf = (element: PageElement, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value;

export function makeText(value: string): PageNode {
  const node = defaultTreeAdapter.createTextNode(value);
  return node;
}

export function makeElement(name: string, children: readonly PageNode[], attributes: Readonly<Record<string, string>> = {}): PageElement {
  const attrs = Object.entries(attributes).map(([key, value]) => ({ name: key, value }));
  const element = defaultTreeAdapter.createElement(name, html.NS.HTML, attrs);
  setChildren(element, children);
  return element;
}

export function setChildren(parent: PageParent, children: readonly PageNode[]): void {
  for (const child of children) child.parentNode = parent;
  parent.childNodes = [...children];
}

/** All elements below a node, in the order of the page, without those in templates. */
export function* elementsBelow(top: PageParent): Generator<PageElement> {
  const open: PageNode[] = top.childNodes.toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isElement(next)) continue;
    yield next;
    for (const child of next.childNodes.toReversed()) open.push(child);
  }
}

/** The text of a node with all that is in it. */
export function textOf(node: PageNode | PageParent): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

export function findElement(top: PageParent, isIt: (element: PageElement) => boolean): PageElement | undefined {
  for (const element of elementsBelow(top)) if (isIt(element)) return element;
  return undefined;
}
