import { isProbablyReaderable, Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { addTableRules } from "./table-rules.ts";

export interface ReadablePage {
  readonly title: string | null;
  readonly byline: string | null;
  /** `article`: the main text was found; `page`: everything but navigation and the like. */
  readonly extent: "article" | "page";
  readonly markdown: string;
  /** Scripts that are not run make its content: there is hardly any in the HTML. */
  readonly isShell: boolean;
}

export interface ReadOptions {
  /** Relative links are resolved against it. */
  readonly url: string;
  /** Without links their text stays. */
  readonly links: boolean;
}

/**
 * Turns HTML into Markdown. The document is inert: linkedom runs no scripts and loads nothing. Time and depth are not bounded here,
 * and HTML can be written to cost much of both, so untrusted pages are read in a worker.
 */
export function readPage(html: string, options: ReadOptions): ReadablePage {
  const document = parseDocument(html);
  const title = clean(document.querySelector("title")?.textContent);
  const url = URL.parse(document.querySelector("base")?.getAttribute("href") ?? "", options.url)?.href ?? options.url;
  const markdown = createMarkdown({ ...options, url });
  const bundled = isBundled(document, html);
  const article = isProbablyReaderable(document) ? new Readability(document, { keepClasses: true }).parse() : null;
  if (article?.content) {
    const text = markdown.turndown(parseDocument(article.content).body);
    return {
      title: clean(article.title) ?? title,
      byline: clean(article.byline),
      extent: "article",
      markdown: text,
      isShell: bundled && isThin(text),
    };
  }
  // Readability takes its document apart, so the page is read anew.
  const page = parseDocument(html);
  const text = markdown.turndown(page.querySelector("main, [role=main]") ?? page.body);
  return { title, byline: null, extent: "page", markdown: text, isShell: bundled && isThin(text) };
}

/** Characters of text in a page, links aside, below which there may be nothing in it. */
const thin = 200;
const isThin = (markdown: string) => markdown.replace(/\]\([^)]*\)/g, "]").length < thin;

/** Characters of HTML that no page needs for so little text. */
const large = 5_000;
const mounts = "#root, #app, #__next, #__nuxt, #svelte, #___gatsby, app-root, [ng-app], [data-reactroot]";

/** Scripts, and an element that waits for them, or much HTML. */
function isBundled(document: ReturnType<typeof parseDocument>, html: string): boolean {
  if (!document.querySelector("script")) return false;
  return (
    html.length > large ||
    Array.from<{ readonly textContent: string | null }>(document.querySelectorAll(mounts)).some((mount) => !clean(mount.textContent))
  );
}

/** Turns all of a document into Markdown, with links that lead out of it. Its words stay as they are: they are searched and quoted. */
export function readWhole(html: string): Pick<ReadablePage, "title" | "markdown"> {
  const document = parseDocument(html);
  const markdown = createMarkdown({ url: "about:blank", links: true });
  // What would be a heading, a row or a block of code is still escaped.
  markdown.escape = (text) => text.replace(/^(#{1,6} |\||```|~~~)/, "\\$1");
  return { title: clean(document.querySelector("title")?.textContent), markdown: markdown.turndown(document.body) };
}

/** HTML may leave out the tags of its parts (HTML, 13.1.2.4), which linkedom does not add: what is in no body gets one. */
function parseDocument(html: string) {
  if (/<body[\s>]/i.test(html)) return parseHTML(html).document;
  const content = html.replace(/<(?:!doctype|\/?(?:html|head))\b[^>]{0,1000}>/gi, "");
  return parseHTML(`<!doctype html><html><body>${content}</body></html>`).document;
}

function createMarkdown({ url, links }: ReadOptions): TurndownService {
  const markdown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  markdown.remove(["script", "style", "noscript", "template", "iframe", "nav", "footer", "aside", "form", "button", "title", "head"]);
  markdown.addRule("link", {
    filter: "a",
    replacement: (content, node) => writeLink(content, links ? URL.parse((node as Attributed).getAttribute("href") ?? "", url) : null),
  });
  markdown.addRule("image", {
    filter: "img",
    replacement: (_content, node) => {
      const text = clean((node as Attributed).getAttribute("alt"));
      return text ? `[Image: ${text}]` : "";
    },
  });
  addTableRules(markdown);
  return markdown;
}

interface Attributed {
  getAttribute(name: string): string | null;
}

/** Only links that a reader can follow are kept; of others the text stays. */
function writeLink(content: string, target: URL | null): string {
  const text = content.trim();
  if (!text || !target || !["http:", "https:", "mailto:"].includes(target.protocol)) return content;
  return `[${text.replace(/\s+/g, " ")}](${target.href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

function clean(text: string | null | undefined): string | null {
  return text?.replace(/\s+/g, " ").trim() || null;
}
