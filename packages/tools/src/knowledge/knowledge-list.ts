import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { collectionInput, documentOutput, foreignOf, showDocument } from "./document-shape.ts";
import type {} from "./knowledge-capability.ts";

/** Lists documents. */
export default defineTool({
  name: "knowledge_list",
  title: "List documents",
  group: "knowledge",
  icon: "list",
  description: "List the documents of the team with their state, newest first. To find something in them use knowledge_search.",
  input: z.object({
    collection: collectionInput.nullish().describe("Only documents of this collection. Default: all."),
    cursor: z.string().min(1).max(300).nullish().describe("next of the page before."),
  }),
  output: z.object({
    documents: z.array(documentOutput),
    next: z.string().nullable().describe("Pass it as cursor for more; null at the end."),
  }),
  permission: "knowledge.tenant.read",
  effects: { knowledge: "read" },
  visibility: { feature: "knowledge" },
  foreign: { kind: "document", sources: ({ documents }) => documents.flatMap(foreignOf), members: ["title", "error"] },
  examples: [{ label: "All of a collection", input: { collection: "handbook" } }],
  ask: ({ collection }, say) => say`List the documents of ${collection ?? "the team"}?`,
  async run({ collection, cursor }, { knowledge }) {
    const { documents, next } = await knowledge.list({ ...(collection != null && { collection }), ...(cursor != null && { cursor }) });
    return { documents: documents.map(showDocument), next: next ?? null };
  },
  toModel({ documents, next }) {
    const shown = documents.map(
      ({ documentId, title, collection, version, state, chunks, error }) =>
        `${documentId}: ${title} (${collection}, version ${version}, ${state}, ${chunks} passages)${error === null ? "" : ` ${error}`}`,
    );
    const more = next === null ? [] : [`[More with cursor ${next}]`];
    return [{ type: "text", text: shown.length === 0 ? "There are no documents." : [...shown, ...more].join("\n") }];
  },
});
