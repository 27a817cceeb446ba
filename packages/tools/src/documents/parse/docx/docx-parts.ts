import { childOf, elementsOf, parseXml, type XmlElement } from "./xml.ts";

/** What a part of a document refers to by an id (ECMA-376, part 2). */
export interface Relationship {
  /** The last word of its type, such as `image`. */
  readonly type: string;
  /** The name of a part, or the address outside. */
  readonly target: string;
  readonly isOutside: boolean;
}

/** The files of a Word document. */
export class DocxParts {
  readonly #files: ReadonlyMap<string, Uint8Array>;

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.#files = new Map([...files].map(([name, bytes]) => [keyOf(name), bytes]));
  }

  bytes(name: string): Uint8Array | undefined {
    return this.#files.get(keyOf(name));
  }

  /** Undefined where there is no such part. Throws for broken XML. */
  xml(name: string): XmlElement | undefined {
    const bytes = this.bytes(name);
    return bytes && parseXml(textOfPart(bytes));
  }

  relationships(part: string): ReadonlyMap<string, Relationship> {
    const slash = part.lastIndexOf("/") + 1;
    const root = this.xml(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
    return new Map(
      (root ? elementsOf(root) : []).map(({ attributes }) => {
        const isOutside = attributes.get("TargetMode") === "External";
        const target = attributes.get("Target") ?? "";
        const type = attributes.get("Type") ?? "";
        const found = { type: type.slice(type.lastIndexOf("/") + 1), isOutside, target: isOutside ? target : resolve(part, target) };
        return [attributes.get("Id") ?? "", found];
      }),
    );
  }

  /** The part that holds the text. */
  get main(): string {
    const found = [...this.relationships("").values()].find(({ type }) => type === "officeDocument")?.target;
    return found !== undefined && this.bytes(found) ? found : "word/document.xml";
  }
}

/** Names are compared without case (ECMA-376, part 2, 7.3.4). */
const keyOf = (name: string) => name.replace(/^\/+/, "").toLowerCase();

function resolve(from: string, target: string): string {
  const path = URL.parse(target, `part:///${from}`)?.pathname ?? target;
  try {
    return decodeURIComponent(path).replace(/^\/+/, "");
  } catch {
    return path;
  }
}

/** The byte order mark decides, then the declaration of XML. */
export function textOfPart(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const [, label = "utf-8"] = /^<\?xml[^>]{0,100}\bencoding\s*=\s*["']([\w-]{1,40})/.exec(start) ?? [];
  return new TextDecoder(label).decode(bytes);
}

/** The part of a type that another refers to. */
export function partOfType(relationships: ReadonlyMap<string, Relationship>, type: string): string | undefined {
  return [...relationships.values()].find((each) => each.type === type && !each.isOutside)?.target;
}

/** The body of a document, note or header; the root where it has none. */
export const bodyOf = (root: XmlElement) => childOf(root, "w:body") ?? root;
