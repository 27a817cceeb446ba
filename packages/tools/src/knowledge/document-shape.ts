import { type DocumentRecord, documentStates, jobOf, type Trust, trusts } from "@toolwright/engine/ports";
import { z } from "zod";

export const usualCollection = "default";

export const collectionInput = z.string().min(1).max(100);
export const documentIdInput = z.string().min(1).max(200).describe("Id of the document, from knowledge_search or knowledge_list.");

export const trust = z.enum(trusts).describe("Who stands behind it: a person, an agent, or foreign, which nobody here wrote.");

export const documentOutput = z.object({
  documentId: z.string(),
  title: z.string(),
  collection: z.string(),
  source: z.string().nullable().describe("Its path or URL; null for a text."),
  trust,
  version: z.int().describe("The version that answers; 0 before there is one."),
  state: z.enum(documentStates).describe("queued and reading: a version waits. failed: the last one could not be read."),
  error: z.string().nullable().describe("Why the last version could not be read; of a ready one, what of it could not."),
  chunks: z.int().describe("Passages that searches find."),
  pages: z.int().nullable(),
  updatedAt: z.string().describe("When its last version came or was read."),
});

export function showDocument(document: DocumentRecord): z.output<typeof documentOutput> {
  const { id: documentId, title, collection, source, version, state, chunks, updatedAt } = document;
  return {
    ...{ documentId, title, collection, version, state, chunks, trust: document.trust, source: source.place ?? null },
    ...{ error: document.error ?? null, pages: document.pages ?? null, updatedAt: new Date(updatedAt).toISOString() },
  };
}

/** What came of writing, as the tool shows it. */
export const showJob = (document: DocumentRecord): string | null => jobOf(document) ?? null;

/** For `foreign`: where content came from that nobody here wrote. */
export const foreignOf = ({ documentId, trust: from }: { readonly documentId: string; readonly trust: Trust }) =>
  from === "foreign" ? [{ kind: "document" as const, place: documentId }] : [];
