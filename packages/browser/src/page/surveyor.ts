/*
 * What follows runs in the page, in the world of the library: pages see nothing of it. It measures before anything is serialised, so that a table
 * of thousands of rows costs what is shown of it. A selector finds elements; what is to be told is the text of one that stands nowhere.
 */

/** What is used of a DOM node. The types of pages are none of this project's. */
interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly parentNode: PageElement | null;
}
interface PageElement extends PageNode {
  readonly ownerDocument: PageDocument;
  readonly childNodes: Iterable<PageNode>;
  readonly shadowRoot: { readonly childNodes: Iterable<PageNode> } | null;
  readonly type?: string;
  readonly value?: unknown;
  textContent: string | null;
  assignedNodes?(): readonly PageNode[];
  getAttribute(name: string): string | null;
  checkVisibility(): boolean;
  getBoundingClientRect(): { readonly width: number; readonly height: number };
}
interface PageDocument {
  readonly body: PageElement | null;
  readonly defaultView: { getComputedStyle(element: PageElement): { readonly display: string } } | null;
  createElement(name: string): PageElement;
}

/** What is asked, as JSON in the selector. */
export type Question =
  | {
      readonly ask: "survey";
      readonly token?: number | undefined;
      readonly from: number;
      readonly offset: number;
      /** Characters that the pieces come to at most, by estimate. */
      readonly budget: number;
    }
  | { readonly ask: "element"; readonly token: number }
  | { readonly ask: "keep" }
  | { readonly ask: "find"; readonly text: string }
  | { readonly ask: "passwords" };

/** A piece of a page, in the order of the document. `token` names its element for later questions. */
export type Piece =
  | { readonly kind: "whole"; readonly depth: number; readonly token: number }
  | { readonly kind: "open"; readonly depth: number; readonly token: number; readonly label: string }
  | { readonly kind: "text"; readonly depth: number; readonly text: string }
  | { readonly kind: "frame"; readonly depth: number; readonly token: number }
  | {
      readonly kind: "rest";
      readonly depth: number;
      readonly token: number;
      /** Where to go on: which child, and which character of a text. */
      readonly from: number;
      readonly offset: number;
      /** How many of its children are left. */
      readonly left: number;
      readonly label: string;
      /** Labels of some that follow. */
      readonly next: readonly string[];
    };

interface Survey {
  readonly pieces: Piece[];
  keep(element: PageElement): number;
}

const kindsOfNodes = { element: 1, text: 3 };
const unread = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD", "LINK", "META"]);
const costs = { element: 30, text: 10, open: 90, rest: 250, least: 400, steps: 60_000, siblings: 20 };
const roles = new Map<string, string>([
  ...([
    ["NAV", "navigation"],
    ["MAIN", "main"],
    ["HEADER", "banner"],
    ["FOOTER", "contentinfo"],
    ["ASIDE", "complementary"],
  ] as const),
  ...([
    ["TABLE", "table"],
    ["TBODY", "rowgroup"],
    ["TR", "row"],
    ["UL", "list"],
    ["OL", "list"],
    ["LI", "listitem"],
  ] as const),
  ...([
    ["FORM", "form"],
    ["SECTION", "region"],
    ["ARTICLE", "article"],
    ["SELECT", "combobox"],
    ["P", "paragraph"],
  ] as const),
  ...([
    ["H1", "heading"],
    ["H2", "heading"],
    ["H3", "heading"],
    ["H4", "heading"],
    ["BUTTON", "button"],
    ["A", "link"],
  ] as const),
  ...([
    ["TEXTAREA", "textbox"],
    ["DIALOG", "dialog"],
    ["IFRAME", "iframe"],
    ["FRAME", "iframe"],
    ["TD", "cell"],
    ["DL", "list"],
  ] as const),
]);

/** Nodes below, as they are shown: those of a shadow root and of slots in place of others. */
function childrenOf(element: PageElement): PageNode[] {
  const assigned = element.nodeName === "SLOT" ? (element.assignedNodes?.() ?? []) : [];
  if (assigned.length > 0) return [...assigned];
  if (element.shadowRoot) return [...element.shadowRoot.childNodes];
  return [...element.childNodes];
}

function isElement(node: PageNode): node is PageElement {
  return node.nodeType === kindsOfNodes.element;
}

function isShown(element: PageElement): boolean {
  if (unread.has(element.nodeName)) return false;
  if (element.nodeName === "OPTION" || element.nodeName === "OPTGROUP" || element.checkVisibility()) return true;
  return element.ownerDocument.defaultView?.getComputedStyle(element).display === "contents";
}

function isFrame(element: PageElement): boolean {
  return element.nodeName === "IFRAME" || element.nodeName === "FRAME";
}

function clean(text: string | null): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

/** What an element adds by itself: its value, and the words that name it. */
function ownSize(element: PageElement): number {
  const named = ["aria-label", "title", "alt", "placeholder", "href"].map((name) => element.getAttribute(name)?.length ?? 0);
  const value = element.nodeName === "INPUT" || element.nodeName === "TEXTAREA" ? String(element.value ?? "").length : 0;
  return named.reduce((total, length) => total + length, value + costs.element);
}

/** Characters that it comes to, by estimate; no more is looked at than it takes to know that it is larger than `limit`. */
function measure(node: PageNode, limit: number, depth = 0): number {
  if (node.nodeType === kindsOfNodes.text) {
    const length = clean(node.nodeValue).length;
    return length === 0 ? 0 : length + costs.text + 2 * depth;
  }
  if (!isElement(node) || !isShown(node)) return 0;
  // What a frame holds is another document, which is measured there.
  if (isFrame(node)) return limit + 1;
  let size = ownSize(node) + 2 * depth;
  for (const child of size > limit ? [] : childrenOf(node)) {
    size += measure(child, limit - size, depth + 1);
    if (size > limit) break;
  }
  return size;
}

function labelOf(element: PageElement): string {
  const role = element.getAttribute("role") ?? roles.get(element.nodeName) ?? "";
  const heading = role === "heading" ? clean(element.textContent) : "";
  const name = clean(element.getAttribute("aria-label")) || heading || clean(element.getAttribute("title"));
  return role === "" || name === "" ? role.slice(0, 40) : `${role.slice(0, 40)} ${JSON.stringify(name.slice(0, 80))}`;
}

/** Labels of some nodes that follow and have a name. */
function labelsAmong(nodes: readonly PageNode[]): string[] {
  const labels: string[] = [];
  for (const node of nodes.slice(0, 200)) {
    const label = isElement(node) && isShown(node) ? labelOf(node) : "";
    if (label !== "" && label !== labels.at(-1)) labels.push(label);
    if (labels.length === 8) break;
  }
  return labels;
}

/** What the siblings that follow need, so that one large element does not take it. */
function needOf(nodes: readonly PageNode[]): number {
  return nodes.slice(0, costs.siblings).reduce((total, node) => total + Math.min(measure(node, 1500), 1500), 0);
}

interface Place {
  readonly element: PageElement;
  readonly from: number;
  readonly offset: number;
  readonly depth: number;
  readonly limit: number;
}

/** Writes down what is shown of the children of an element, and gives what that comes to. */
function surveyChildren(survey: Survey, { element, from, offset, depth, limit }: Place): number {
  const nodes = childrenOf(element);
  let used = 0;
  let skipped = offset;
  for (let index = from; index < nodes.length; index++) {
    const node = nodes[index] as PageNode;
    const left = limit - used;
    const stop = (at: number) => {
      const rest = nodes.slice(index);
      const count = rest.filter((other) => isElement(other)).length;
      const next = labelsAmong(rest.slice(at > 0 ? 1 : 0));
      survey.pieces.push({
        kind: "rest",
        depth,
        token: survey.keep(element),
        from: index,
        offset: at,
        left: count,
        label: labelOf(element),
        next,
      });
      return used + costs.rest;
    };
    if (node.nodeType === kindsOfNodes.text) {
      const text = clean(node.nodeValue).slice(skipped);
      if (text === "") continue;
      if (text.length + costs.text > left && left < costs.least) return stop(skipped);
      const shown = text.length + costs.text <= left ? text : text.slice(0, left - costs.text);
      survey.pieces.push({ kind: "text", depth, text: shown });
      used += shown.length + costs.text;
      if (shown.length < text.length) return stop(skipped + shown.length);
      skipped = 0;
    } else if (isElement(node) && isShown(node)) {
      const size = measure(node, left);
      if (size === 0) continue;
      if (size <= left) {
        survey.pieces.push({ kind: "whole", depth, token: survey.keep(node) });
        used += size;
      } else if (left < costs.least) return stop(0);
      else used += surveyLarge(survey, { element: node, from: 0, offset: 0, depth, limit: left }, nodes.slice(index + 1));
    }
  }
  return used;
}

function surveyLarge(survey: Survey, place: Place, after: readonly PageNode[]): number {
  const { element, depth, limit } = place;
  const token = survey.keep(element);
  if (isFrame(element)) {
    const { width, height } = element.getBoundingClientRect();
    if (width < 10 || height < 10) return 0;
    survey.pieces.push({ kind: "frame", depth, token });
    return costs.open;
  }
  const label = labelOf(element);
  const isNamed = label !== "";
  if (isNamed) survey.pieces.push({ kind: "open", depth, token, label });
  const own = isNamed ? costs.open : 0;
  const need = needOf(after);
  const share = Math.max((limit - own) / 2, limit - own - (need === 0 ? 0 : need + costs.rest + costs.least));
  return own + surveyChildren(survey, { ...place, depth: depth + (isNamed ? 1 : 0), limit: share });
}

/** The smallest elements that hold the text, in order. */
function findText(root: PageElement, wanted: string, most: number): { readonly found: PageElement[]; readonly more: boolean } {
  const found: PageElement[] = [];
  const folded = wanted.toLowerCase();
  let steps = 0;
  let more = false;
  const holds = (text: unknown) => typeof text === "string" && text.toLowerCase().includes(folded);
  const visit = (element: PageElement): boolean => {
    if (more || ++steps > costs.steps || !isShown(element)) return false;
    let inside = false;
    let own = "";
    for (const child of childrenOf(element)) {
      if (isElement(child)) inside = visit(child) || inside;
      else if (child.nodeType === kindsOfNodes.text) own += child.nodeValue ?? "";
    }
    if (inside) return true;
    const words = ["aria-label", "placeholder", "title", "alt"].map((name) => element.getAttribute(name));
    const value = element.nodeName === "INPUT" && element.type !== "password" ? element.value : undefined;
    if (![clean(own), value, ...words].some(holds)) return false;
    if (found.length === most) more = true;
    else found.push(element);
    return true;
  };
  visit(root);
  return { found, more: more || steps > costs.steps };
}

/** Up to what is still small, so that one sees what the text belongs to. */
function surroundingsOf(element: PageElement): PageElement {
  let chosen = element;
  for (let above = element.parentNode; above !== null && isElement(above); above = above.parentNode) {
    if (measure(above, 600) > 600) break;
    chosen = above;
  }
  return chosen;
}

function passwordsIn(root: PageElement): string[] {
  const values: string[] = [];
  let steps = 0;
  const visit = (element: PageElement) => {
    if (++steps > costs.steps) return;
    const { value } = element;
    if (element.nodeName === "INPUT" && element.type === "password" && typeof value === "string" && value !== "") values.push(value);
    for (const child of childrenOf(element)) if (isElement(child)) visit(child);
  };
  visit(root);
  return values.slice(0, 50).map((value) => value.slice(0, 2000));
}

/** The engine of one document: answers questions with elements. */
function createSurveyor() {
  const kept = new Map<number, PageElement>();
  let last = 0;
  const keep = (element: PageElement) => {
    kept.set(++last, element);
    if (kept.size > 20_000) kept.delete(kept.keys().next().value as number);
    return last;
  };
  const tell = (document: PageDocument, value: unknown) => {
    const sheet = document.createElement("pre");
    sheet.textContent = JSON.stringify(value);
    return [sheet];
  };
  const answer = (root: PageElement | PageDocument, words: string): PageElement[] => {
    const asked: Question = JSON.parse(words);
    const document = "ownerDocument" in root && root.ownerDocument ? root.ownerDocument : (root as PageDocument);
    if (asked.ask === "keep") return tell(document, keep(root as PageElement));
    const body = document.body;
    const element = "token" in asked && asked.token !== undefined ? kept.get(asked.token) : body;
    if (!element) return [];
    if (asked.ask === "element") return [element];
    if (asked.ask === "passwords") return tell(document, passwordsIn(element));
    if (asked.ask === "find") {
      const { found, more } = findText(element, asked.text, 20);
      const places = [...new Set(found.map(surroundingsOf))];
      return tell(document, { tokens: places.map(keep), more });
    }
    const survey: Survey = { pieces: [], keep };
    const { from, offset, budget } = asked;
    if (from === 0 && offset === 0 && measure(element, budget) <= budget)
      survey.pieces.push({ kind: "whole", depth: 0, token: keep(element) });
    else surveyChildren(survey, { element, from, offset, depth: 0, limit: budget });
    return tell(document, survey.pieces);
  };
  return { queryAll: answer, query: (root: PageElement, words: string) => answer(root, words)[0] };
}

/** The source of all of it, for the page. */
export function surveyorEngine(): string {
  const parts = [
    childrenOf,
    isElement,
    isShown,
    isFrame,
    clean,
    ownSize,
    measure,
    labelOf,
    labelsAmong,
    needOf,
    surveyChildren,
    surveyLarge,
  ];
  const functions = [...parts, findText, surroundingsOf, passwordsIn, createSurveyor].map(String);
  const constants = [
    `const kindsOfNodes = ${JSON.stringify(kindsOfNodes)}`,
    `const costs = ${JSON.stringify(costs)}`,
    `const unread = new Set(${JSON.stringify([...unread])})`,
    `const roles = new Map(${JSON.stringify([...roles])})`,
  ];
  return `(() => { ${[...constants, ...functions].join(";\n")}; return createSurveyor(); })()`;
}
