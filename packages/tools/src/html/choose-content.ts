import { attributeOf, elementsBelow, isElement, isNamed, isText, type PageElement, type PageNode, textOf } from "./page-tree.ts";

/** The share of a page's words that its main part has at least: a smaller one may be a notice. */
const leastOfMain = 0.25;
/** The share of words in links from which on a part is a list of ways to other pages. */
const mostInLinks = 0.5;

const chrome = ["nav", "header", "footer", "aside"];
const chromeRoles = ["navigation", "banner", "contentinfo", "complementary", "search"];
const contentRoles = ["main", "article"];

/**
 * The nodes of a page that are its content: its main part where it names one, else all but what leads to other pages. Whatever stands in an article or
 * in the main part is content. A page of ways to others alone is all content.
 */
export function chooseContent(body: PageElement): readonly PageNode[] {
  const rest = withoutChrome(body.childNodes, hasContent(body));
  const words = wordsOf(rest);
  if (words === 0) return body.childNodes;
  const mains = [...elementsBelow(body)].filter((each) => isNamed(each, "main") || attributeOf(each, "role") === "main");
  const [main] = mains;
  if (!main || mains.length > 1 || wordsOf([main]) < words * leastOfMain) return rest;
  const titles = [...elementsBelow(body)].filter((each) => isNamed(each, "h1"));
  const inside = new Set(elementsBelow(main));
  return [...titles.filter((each) => !inside.has(each)).slice(0, 1), main];
}

const isContent = (element: PageElement) =>
  isNamed(element, "main", "article") || contentRoles.includes(attributeOf(element, "role") ?? "");
const hasContent = (element: PageElement) => isContent(element) || [...elementsBelow(element)].some(isContent);

function withoutChrome(nodes: readonly PageNode[], isNamedPage: boolean): readonly PageNode[] {
  return nodes.flatMap((node) => {
    if (!isElement(node) || isContent(node)) return [node];
    const kept = withoutChrome(node.childNodes, isNamedPage);
    if (isChrome(node, isNamedPage)) return kept.filter((each) => isElement(each) && hasContent(each));
    return [{ ...node, childNodes: [...kept] }];
  });
}

/** Where a page names its content, what stands beside it; else navigation, and parts that mostly lead to other pages. */
function isChrome(element: PageElement, isNamedPage: boolean): boolean {
  const role = attributeOf(element, "role") ?? "";
  if (!isNamed(element, ...chrome) && !chromeRoles.includes(role)) return false;
  if (isNamed(element, "nav") || role === "navigation") return true;
  return isNamedPage ? !holdsTitle(element) : wordsOf([element]) * mostInLinks < wordsOf(linksOf(element));
}

const holdsTitle = (element: PageElement) => [...elementsBelow(element)].some((each) => isNamed(each, "h1"));
const linksOf = (element: PageElement) => [...elementsBelow(element)].filter((each) => isNamed(each, "a"));

const wordsOf = (nodes: readonly PageNode[]) =>
  nodes.reduce((sum, node) => sum + (isText(node) || isElement(node) ? textOf(node).split(/\s+/).filter(Boolean).length : 0), 0);
