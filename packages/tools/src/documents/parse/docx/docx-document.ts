import type { DocumentNote } from "../document-note.ts";
import type { DocxNumbering } from "./docx-numbering.ts";
import type { DocxParts } from "./docx-parts.ts";
import type { DocxStyles } from "./docx-styles.ts";

/** What the stories of a document share: its text, its notes, its headers. */
export interface DocxDocument {
  readonly parts: DocxParts;
  readonly styles: DocxStyles;
  readonly numbering: DocxNumbering;
  lose(note: DocumentNote): void;
  /** True for the first who asks: what is referred to in many places is read once. */
  take(part: string): boolean;
  /** The mark of a note, counted in the order of the references. */
  markOf(kind: "footnote" | "endnote", id: string): string;
  /** A comment with its author, where it is referred to first. */
  commentOf(id: string): string;
  showPicture(target: string): void;
}

/** A paragraph, a table or a text box. */
export interface Block {
  readonly text: string;
  /** 1 to 6 for a heading. */
  readonly heading?: number;
  /** It is a paragraph of a list. */
  readonly isItem?: boolean;
}
