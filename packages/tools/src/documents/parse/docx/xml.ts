/** An element of XML, with its children in their order. Prefixes are the usual ones of Office, whichever the file declares. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (XmlElement | string)[];
}

const office = "http://schemas.openxmlformats.org";
/** ISO 29500 Strict has addresses of its own. */
const strict = "http://purl.oclc.org/ooxml";

const usualPrefixes: ReadonlyMap<string, string> = new Map([
  ...[`${office}/wordprocessingml/2006/main`, `${strict}/wordprocessingml/main`].map((uri) => [uri, "w"] as const),
  ...[`${office}/officeDocument/2006/relationships`, `${strict}/officeDocument/relationships`].map((uri) => [uri, "r"] as const),
  ...[`${office}/drawingml/2006/wordprocessingDrawing`, `${strict}/drawingml/wordprocessingDrawing`].map((uri) => [uri, "wp"] as const),
  ...[`${office}/drawingml/2006/main`, `${strict}/drawingml/main`].map((uri) => [uri, "a"] as const),
  ...[`${office}/drawingml/2006/picture`, `${strict}/drawingml/picture`].map((uri) => [uri, "pic"] as const),
  ...[`${office}/drawingml/2006/chart`, `${strict}/drawingml/chart`].map((uri) => [uri, "c"] as const),
  ...[`${office}/drawingml/2006/diagram`, `${strict}/drawingml/diagram`].map((uri) => [uri, "dgm"] as const),
  ...[`${office}/officeDocument/2006/math`, `${strict}/officeDocument/math`].map((uri) => [uri, "m"] as const),
  [`${office}/markup-compatibility/2006`, "mc"],
  ["http://schemas.microsoft.com/office/word/2010/wordml", "w14"],
  ["urn:schemas-microsoft-com:vml", "v"],
  ["urn:schemas-microsoft-com:office:office", "o"],
  [`${office}/package/2006/relationships`, ""],
]);

/** Deeper ones are hostile: Word itself refuses them. */
const deepest = 1_000;

/** Reads XML without a document type (XML 1.0, section 2), so no entity makes it grow. Throws for what is not well-formed. */
export function parseXml(text: string): XmlElement {
  const root: Open = { tag: "", name: "", attributes: none, children: [], declared: [] };
  const open: Open[] = [root];
  const names = new Names();
  for (let at = 0; at < text.length; ) {
    const begin = text.indexOf("<", at);
    const words = text.slice(at, begin < 0 ? text.length : begin);
    if (words !== "" && open.length > 1) open.at(-1)?.children.push(decode(words));
    if (begin < 0) break;
    const [end, what] = endOfMark(text, begin);
    at = end;
    if (what === "data") open.at(-1)?.children.push(text.slice(begin + 9, end - 3));
    else if (what === "close") {
      const element = open.pop();
      if (!element || open.length === 0 || element.tag !== text.slice(begin + 2, end - 1).trimEnd())
        throw new Error(`The element at ${begin} is not closed.`);
      names.leave(element.declared);
    } else if (what === "open") {
      const [element, next] = readTag(text, begin, names);
      at = next;
      open.at(-1)?.children.push(element);
      if (text[next - 2] === "/") names.leave(element.declared);
      else if (open.push(element) > deepest) throw new Error("Elements are nested too deeply.");
    }
  }
  const [element] = root.children.filter((child) => typeof child !== "string");
  if (open.length !== 1 || !element) throw new Error("The document ends within an element.");
  return element;
}

interface Open extends XmlElement {
  readonly tag: string;
  readonly children: (XmlElement | string)[];
  /** Prefixes that it declares. */
  readonly declared: readonly string[];
}

const none: ReadonlyMap<string, string> = new Map();

/** Where a mark ends. For a tag that opens, its attributes say it. */
function endOfMark(text: string, begin: number): readonly [end: number, what: "open" | "close" | "data" | "other"] {
  const until = (mark: string) => {
    const at = text.indexOf(mark, begin);
    if (at < 0) throw new Error(`The mark at ${begin} does not end.`);
    return at + mark.length;
  };
  if (text.startsWith("<!--", begin)) return [until("-->"), "other"];
  if (text.startsWith("<![CDATA[", begin)) return [until("]]>"), "data"];
  if (text.startsWith("<?", begin)) return [until("?>"), "other"];
  if (text.startsWith("</", begin)) return [until(">"), "close"];
  if (text.startsWith("<!", begin)) throw new Error("Documents of Office have no document type.");
  return [begin, "open"];
}

const tagName = /<([^\s<>/"'=]+)/y;
const attribute = /\s+([^\s<>/"'=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /\s*\/?>/y;

function readTag(text: string, begin: number, names: Names): readonly [element: Open, end: number] {
  const [matched, tag] = matchAt(tagName, text, begin) ?? [];
  if (matched === undefined || tag === undefined) throw new Error(`There is no tag at ${begin}.`);
  let at = begin + matched.length;
  const given: (readonly [name: string, value: string])[] = [];
  const declared: string[] = [];
  for (let found = matchAt(attribute, text, at); found; found = matchAt(attribute, text, at)) {
    const [all, name = "", quoted, other = ""] = found;
    at += all.length;
    const value = decode(quoted ?? other);
    // Word numbers each editing session in attributes that nobody reads: half of a document.
    if (name.startsWith("w:rsid")) continue;
    if (name !== "xmlns" && !name.startsWith("xmlns:")) given.push([name, value]);
    else declared.push(names.declare(name.slice("xmlns:".length), value));
  }
  const end = matchAt(tagEnd, text, at);
  if (!end) throw new Error(`The tag at ${begin} does not end.`);
  const attributes = given.length === 0 ? none : new Map(given.map(([name, value]) => [names.ofAttribute(name), value]));
  return [{ tag, name: names.usual(tag), attributes, children: [], declared }, at + end[0].length];
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Which prefix means what where the reader stands (Namespaces in XML 1.0). */
class Names {
  readonly #meanings = new Map<string, string[]>();

  declare(prefix: string, uri: string): string {
    const usual = usualPrefixes.get(uri) ?? prefix;
    const meanings = this.#meanings.get(prefix);
    if (meanings) meanings.push(usual);
    else this.#meanings.set(prefix, [usual]);
    return prefix;
  }

  leave(prefixes: readonly string[]): void {
    for (const prefix of prefixes) this.#meanings.get(prefix)?.pop();
  }

  usual(tag: string): string {
    const colon = tag.indexOf(":");
    const prefix = tag.slice(0, Math.max(0, colon));
    const usual = this.#meanings.get(prefix)?.at(-1) ?? prefix;
    return usual === "" ? tag.slice(colon + 1) : `${usual}:${tag.slice(colon + 1)}`;
  }

  /** Attributes without a prefix are in no namespace. */
  ofAttribute(name: string): string {
    return name.includes(":") ? this.usual(name) : name;
  }
}

const marks: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#?)([\w]{0,10});?/g, (whole, hash: string, word: string) => {
    const code = hash === "" ? undefined : word.startsWith("x") ? Number.parseInt(word.slice(1), 16) : Number(word);
    const mark = code === undefined ? marks.get(word) : code > 0 && code < 0x110000 ? String.fromCodePoint(code) : undefined;
    if (mark === undefined || !whole.endsWith(";")) throw new Error("A character is named that XML does not know.");
    return mark;
  });
}

export const emptyElement: XmlElement = { name: "", attributes: none, children: [] };

const isElement = (child: XmlElement | string): child is XmlElement => typeof child !== "string";

export const elementsOf = (element: XmlElement): readonly XmlElement[] => element.children.filter(isElement);

/** The first child of a name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child): child is XmlElement => typeof child !== "string" && child.name === name);

/** The attribute `w:val` of a child. */
export const settingOf = (element: XmlElement | undefined, name: string): string | undefined =>
  childOf(element, name)?.attributes.get("w:val");

/** Text of an element alone, without that of its children. */
export const textOf = ({ children }: XmlElement): string => children.filter((child) => typeof child === "string").join("");

/** An element and those below it, in the order of the document; what stands below one that `enters` refuses is passed over. */
export function* walk(element: XmlElement, enters: (each: XmlElement) => boolean): Generator<XmlElement> {
  const waiting = [element];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    if (!enters(next)) continue;
    for (let index = next.children.length - 1; index >= 0; index -= 1) {
      const child = next.children[index];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
}

/** All elements of a name, from one on down, in the order of the document. */
export function* findAll(element: XmlElement, name: string): Generator<XmlElement> {
  for (const each of walk(element, () => true)) if (each.name === name) yield each;
}
