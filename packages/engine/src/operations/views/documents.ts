import { oneLine } from "../../contract/visible-text.ts";
import type { Rendering } from "../shell.ts";

interface DocumentState {
  readonly title: string;
  readonly state: string;
  readonly pages?: number | undefined;
  readonly chunks: number;
  readonly error?: string | undefined;
}

interface ShownDocument extends DocumentState {
  readonly id: string;
  readonly collection: string;
  readonly source: { readonly place?: string | undefined };
  readonly trust: string;
  readonly version: number;
  readonly nextVersion?: number | undefined;
  readonly writtenBy: { readonly kind: string; readonly id: string };
  readonly updatedAt: number;
}

interface Passages {
  readonly items: readonly { readonly citation: string; readonly document: string; readonly weak: boolean; readonly text: string }[];
  readonly without: readonly string[];
  readonly notSearched: readonly { readonly title: string; readonly state: string }[];
}

export const documentView: Rendering<ShownDocument> = {
  show: (document) => {
    const { id, collection, source, trust, version, nextVersion, writtenBy, updatedAt } = document;
    return [
      `${id}: ${describeDocument(document)}`,
      `Collection ${collection}, version ${version}${nextVersion === undefined ? "" : ` (${nextVersion} waits to be read)`}`,
      `From ${source.place ?? "a text"}, trust ${trust}, by the ${writtenBy.kind} ${writtenBy.id}, ${new Date(updatedAt).toISOString()}`,
    ];
  },
};

interface ExportedDocuments {
  readonly items: readonly ExportedDocument[];
  readonly unread: readonly string[];
}

interface ExportedDocument {
  readonly title: string;
  readonly collection: string;
  readonly source: { readonly kind: string; readonly place?: string | undefined };
  readonly text: string;
}

/** As `knowledge import` reads it. */
export const exportedDocumentsView: Rendering<ExportedDocuments> = {
  show: ({ items, unread }) => [
    ...unread.map((title) => ({ note: `Left out: ${oneLine(title)} is not read yet.`, always: true as const })),
    ...items.map((item) => ({ json: toLine(item) })),
  ],
  jsonLines: ({ items }) => items.map(toLine),
};

const toLine = ({ title, collection, source, text }: ExportedDocument) => ({ title, collection, source, text });

export const passagesView: Rendering<Passages> = {
  show: ({ items, without, notSearched }) => [
    items.map(describePassage).join("\n") || "No passage answers this.",
    ...(items.length === 0 ? without.map((why) => ({ note: oneLine(why) })) : []),
    ...(notSearched.length === 0
      ? []
      : [{ note: `Not searched: ${notSearched.map(({ title, state }) => `${oneLine(title)} (${state})`).join(", ")}.` }]),
  ],
  json: (found) => found,
};

export const removedDocumentView: Rendering<{ readonly removed: number }> = {
  show: ({ removed }, { input }) => [{ note: `Removed ${oneLine(String(input.id))} (${count(removed)}).` }],
  json: ({ removed }, { input }) => ({ id: input.id, removed }),
};

/** What came of reading a document, in a line. */
export function describeDocument({ title, state, pages, chunks, error }: DocumentState): string {
  if (state === "failed") return `${title}: failed. ${error ?? ""}`;
  const size = pages === undefined ? "" : `${pages} pages, `;
  return `${title}: ${state}, ${size}${count(chunks)}${error === undefined ? "" : `. ${error}`}`;
}

const describePassage = ({ citation, document, weak, text }: Passages["items"][number], at: number) =>
  `${at === 0 ? "" : "\n"}[${oneLine(citation)}] ${document}${weak ? " (may not answer)" : ""}\n${text}`;

const count = (passages: number) => (passages === 1 ? "1 passage" : `${passages} passages`);
