import { isProbablyReaderable, Readability } from "@mozilla/readability";
import { chooseContent } from "./choose-content.ts";
import { attributeOf, elementsBelow, findElement, isNamed, type PageElement, type PageParent, parsePage, textOf } from "./page-tree.ts";
import { showPage } from "./show-page.ts";
import { type LinkOptions, openDom, writeMarkdown } from "./write-markdown.ts";

export interface ReadablePage {
  readonly title: string | null;
  readonly byline: string | null;
  /** `article`: the page holds an article; `page`: it is of another kind. */
  readonly extent: "article" | "page";
  readonly markdown: string;
  /** Scripts that are not run make its content: there is hardly any in the HTML. */
  readonly isShell: boolean;
}

export type ReadOptions = LinkOptions;

/**
 * Turns HTML into Markdown, without navigation. The document is inert: no scripts run, and nothing is loaded. Time is not bounded here, and HTML can be
 * written to cost much of it, so untrusted pages are read in a worker.
 */
export function readPage(html: string, { url: address, links }: ReadOptions): ReadablePage {
  const document = parsePage(html);
  const dom = openDom(document);
  const isArticle = isProbablyReaderable(dom);
  const isBundled = waitsForScripts(document, html);
  const title = titleOf(document);
  const base = findElement(document, (each) => isNamed(each, "base"));
  const url = URL.parse((base && attributeOf(base, "href")) ?? "", address)?.href ?? address;
  const shown = showWords(html, document);
  const markdown = writeMarkdown(chooseContent(shown), { url, links });
  const facts = isArticle ? new Readability(dom, { keepClasses: true }).parse() : null;
  return {
    title: clean(facts?.title) ?? title,
    byline: clean(facts?.byline),
    extent: facts ? "article" : "page",
    markdown,
    isShell: isBundled && isThin(markdown),
  };
}

/** Turns all of a document into Markdown, with links that lead out of it. */
export function readWhole(html: string): Pick<ReadablePage, "title" | "markdown" | "isShell"> {
  const document = parsePage(html);
  const isBundled = waitsForScripts(document, html);
  const title = titleOf(document);
  const markdown = writeMarkdown(showWords(html, document).childNodes, { url: "about:blank", links: true });
  return { title, markdown, isShell: isBundled && isThin(markdown) };
}

/** What the page shows; where that is nothing, what it shows to those who run no scripts. Takes the tree. */
function showWords(html: string, document: ReturnType<typeof parsePage>): PageElement {
  const shown = showPage(document, { noscript: false });
  return textOf(shown).trim() === "" ? showPage(parsePage(withoutOpenEnds(html)), { noscript: true }) : shown;
}

/** Ends a title or a comment that would take the whole page, since its own end is missing. */
function withoutOpenEnds(html: string): string {
  const titled = /<\/title/i.test(html) ? html : html.replace(/<title\b[^<>]*>[^<]*/i, "$&</title>");
  const comment = titled.lastIndexOf("<!--");
  return comment < 0 || titled.includes("-->", comment) ? titled : `${titled.slice(0, comment)}${titled.slice(comment + 4)}`;
}

function titleOf(document: PageParent): string | null {
  const title = findElement(document, (each) => isNamed(each, "title") && each.namespaceURI === "http://www.w3.org/1999/xhtml");
  return clean(title && textOf(title));
}

/** Characters of text in a page, links aside, below which there may be nothing in it. */
const thin = 200;
const isThin = (markdown: string) => markdown.replace(/\]\([^)]*\)/g, "]").length < thin;

/** Characters of HTML that no page needs for so little text. */
const large = 5_000;
const mounts = ["root", "app", "__next", "__nuxt", "svelte", "___gatsby"];

/** Scripts, and an element that waits for them, or much HTML. */
function waitsForScripts(document: PageParent, html: string): boolean {
  const elements = [...elementsBelow(document)];
  if (!elements.some((each) => isNamed(each, "script"))) return false;
  return html.length > large || elements.some((each) => isMount(each) && textOf(each).trim() === "");
}

const isMount = (element: PageElement) =>
  isNamed(element, "app-root") ||
  mounts.includes(attributeOf(element, "id") ?? "") ||
  ["ng-app", "data-reactroot"].some((name) => attributeOf(element, name) !== undefined);

function clean(text: string | null | undefined): string | null {
  return text?.replace(/\s+/g, " ").trim() || null;
}
