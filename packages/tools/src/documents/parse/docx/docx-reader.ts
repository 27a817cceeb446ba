import type { DocumentNote } from "../document-note.ts";
import type { Gathering } from "../gather.ts";
import type { Block, DocxDocument } from "./docx-document.ts";
import { DocxNumbering } from "./docx-numbering.ts";
import { bodyOf, type DocxParts, partOfType, type Relationship } from "./docx-parts.ts";
import { StoryReader } from "./docx-story.ts";
import { DocxStyles } from "./docx-styles.ts";
import { formatNumber } from "./number-formats.ts";
import { elementsOf, findAll, type XmlElement } from "./xml.ts";

/** Pictures that models look at, by the ending of their part. */
const shownPictures: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
]);

/** Reads a Word document: its text, and what stands around it. */
export class DocxReader implements DocxDocument {
  readonly parts: DocxParts;
  readonly styles: DocxStyles;
  readonly numbering: DocxNumbering;
  readonly #into: Gathering;
  readonly #main: string;
  readonly #relationships: ReadonlyMap<string, Relationship>;
  readonly #taken = new Set<string>();
  readonly #marks = new Map<string, string>();
  readonly #comments: Map<string, XmlElement>;
  readonly #counts = { footnote: 0, endnote: 0 };

  constructor(parts: DocxParts, into: Gathering) {
    this.parts = parts;
    this.#into = into;
    this.#main = parts.main;
    this.#relationships = parts.relationships(this.#main);
    this.styles = new DocxStyles(this.#rootOf("styles"));
    this.numbering = new DocxNumbering(this.#rootOf("numbering"), this.styles);
    this.#comments = byId(this.#rootOf("comments"));
  }

  /** The text, then what stands around it: notes, comments that no text refers to, headers and footers. */
  read(): { readonly text: readonly Block[]; readonly around: readonly Block[] } {
    const root = this.parts.xml(this.#main);
    if (root?.name !== "w:document") throw new Error("The main part is no document.");
    const text = this.#read(this.#main, bodyOf(root));
    const around = [...this.#readNotes("footnote"), ...this.#readNotes("endnote"), ...this.#readComments(), ...this.#readEdges(root)];
    if (this.numbering.unknownFormats.size > 0)
      this.lose({
        what: "Numbers of lists in a format that is not known are shown as digits",
        names: [...this.numbering.unknownFormats],
        advice: "Save the document as PDF to see them.",
      });
    return { text, around };
  }

  lose(note: DocumentNote): void {
    this.#into.note(note);
  }

  take(part: string): boolean {
    const isNew = !this.#taken.has(part);
    this.#taken.add(part);
    return isNew;
  }

  markOf(kind: "footnote" | "endnote", id: string): string {
    const key = `${kind} ${id}`;
    let mark = this.#marks.get(key);
    if (mark === undefined) {
      this.#counts[kind] += 1;
      mark = kind === "footnote" ? `${this.#counts.footnote}` : (formatNumber(this.#counts.endnote, "lowerRoman") ?? "");
      this.#marks.set(key, mark);
    }
    return `[^${mark}]`;
  }

  commentOf(id: string): string {
    const comment = this.#comments.get(id);
    const part = partOfType(this.#relationships, "comments");
    if (!comment || part === undefined) return "";
    this.#comments.delete(id);
    const words = this.#read(part, comment)
      .map(({ text }) => text)
      .join(" ");
    return words === "" ? "" : `[Comment by ${comment.attributes.get("w:author") || "somebody"}: ${words}]`;
  }

  showPicture(target: string): void {
    if (!this.#into.wantsImages) return;
    const mediaType = shownPictures.get(target.split(".").at(-1)?.toLowerCase() ?? "");
    const bytes = this.parts.bytes(target);
    if (mediaType !== undefined && bytes) this.#into.show({ mediaType, bytes: new Uint8Array(bytes) });
    else
      this.lose({
        what: "Pictures in a form that cannot be shown are left out",
        ...{ count: 1, names: [target], advice: "Save the document as PDF and read that." },
      });
  }

  #read(part: string, root: XmlElement): readonly Block[] {
    return new StoryReader(this, part, root).readBlocks(elementsOf(root));
  }

  #rootOf(type: string): XmlElement | undefined {
    return this.parts.xml(partOfType(this.#relationships, type) ?? `word/${type}.xml`);
  }

  /** A note may refer to a further one. */
  *#readNotes(kind: "footnote" | "endnote"): Generator<Block> {
    const part = partOfType(this.#relationships, `${kind}s`) ?? `word/${kind}s.xml`;
    const notes = byId(this.#rootOf(`${kind}s`));
    for (const [key, mark] of this.#marks) {
      const note = key.startsWith(`${kind} `) ? notes.get(key.slice(kind.length + 1)) : undefined;
      const words = note
        ? this.#read(part, note)
            .map(({ text }) => text)
            .join("\n")
        : "";
      if (words !== "") yield { text: `[^${mark}]: ${words}` };
    }
  }

  *#readComments(): Generator<Block> {
    for (const id of this.#comments.keys()) yield { text: this.commentOf(id) };
  }

  *#readEdges(root: XmlElement): Generator<Block> {
    const told = new Set<string>();
    for (const section of findAll(root, "w:sectPr"))
      for (const { name, attributes } of elementsOf(section)) {
        if (name !== "w:headerReference" && name !== "w:footerReference") continue;
        const target = this.#relationships.get(attributes.get("r:id") ?? "")?.target;
        const edge = target !== undefined && this.take(target) ? this.parts.xml(target) : undefined;
        if (target === undefined || !edge) continue;
        const words = this.#read(target, edge)
          .map(({ text }) => text)
          .join("\n");
        const text = `${name === "w:headerReference" ? "Header" : "Footer"}: ${words}`;
        if (words !== "" && !told.has(text)) yield { text };
        told.add(text);
      }
  }
}

const byId = (root: XmlElement | undefined) =>
  new Map((root ? elementsOf(root) : []).map((element) => [element.attributes.get("w:id") ?? "", element]));
