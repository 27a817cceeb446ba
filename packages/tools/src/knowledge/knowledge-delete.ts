import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { documentIdInput } from "./document-shape.ts";
import type {} from "./knowledge-capability.ts";

/** Removes a document. */
export default defineTool({
  name: "knowledge_delete",
  title: "Delete document",
  group: "knowledge",
  icon: "trash",
  description: "Remove a document from the knowledge of the team with all its passages: the next search finds none of it.",
  input: z.object({ documentId: documentIdInput }),
  output: z.object({ documentId: z.string(), removed: z.int().describe("How many passages it had.") }),
  permission: "knowledge.tenant.delete",
  effects: { knowledge: "write", destructive: true, idempotent: true },
  visibility: { feature: "knowledge" },
  examples: [{ label: "A document", input: { documentId: "doc_81f2" } }],
  aliases: { id: "documentId", document_id: "documentId" },
  ask: ({ documentId }, say) => say`Delete the document ${documentId} for everybody?`,
  toModel: ({ documentId, removed }) => [{ type: "text", text: `The document ${documentId} is removed, with ${removed} passages.` }],
  run: async ({ documentId }, { knowledge }) => ({ documentId, removed: await knowledge.remove(documentId) }),
});
