import { defineTool, fail, isFailure } from "@toolwright/engine";
import { z } from "zod";
import { canonical, unknownEncoding } from "../documents/parse/decode-text.ts";
import { encodingInput, takeDocument } from "../documents/take-document.ts";
import { hostOf } from "../net/host-of.ts";
import { collectionInput, documentIdInput, showJob, usualCollection } from "./document-shape.ts";
import type {} from "./knowledge-capability.ts";

/** Puts a document where searches find it. */
export default defineTool({
  name: "knowledge_write",
  title: "Add to knowledge",
  group: "knowledge",
  icon: "book",
  description:
    "Add a document to the knowledge of the team, or a new version of one: a file of the workspace (PDF, Word, HTML, mail, Markdown, notebook, CSV, text), a " +
    "web page, or a text. Give one of path, url and text. The same path or URL in a collection is one document. knowledge_search finds it once it is " +
    "ready: short texts at once, files and pages after their job. For facts about people and preferences use memory_save.",
  input: z.object({
    path: z.string().min(1).nullish().describe("Path of a file, relative to the workspace."),
    url: z.string().min(1).nullish().describe("Absolute http or https URL of a page or file."),
    text: z.string().min(1).max(1_000_000).nullish().describe("The text itself, as Markdown."),
    title: z.string().min(1).max(200).nullish().describe("Default: the name of the file, the title of the page, or the first line."),
    collection: collectionInput.nullish().describe(`Name of a group of documents that are searched together. Default: ${usualCollection}.`),
    documentId: documentIdInput.nullish().describe("Id of a document that this is a new version of."),
    encoding: encodingInput,
  }),
  output: z.object({
    documentId: z.string(),
    version: z.int().describe("The version that was written."),
    chunks: z.int().describe("Passages that searches find now; of the version before while a job waits."),
    job: z.string().nullable().describe("Reads the document; null when that is done. knowledge_list shows its state."),
    unchanged: z.boolean().describe("True when the document had these bytes already, so that nothing was written."),
    state: z.string(),
    error: z.string().nullable().describe("Why the text could not be read."),
  }),
  permission: "knowledge.tenant.update",
  effects: { knowledge: "write", files: "read" },
  visibility: { feature: "knowledge" },
  examples: [
    { label: "A file", input: { path: "docs/handbook.pdf", collection: "handbook" } },
    { label: "A page", input: { url: "https://example.com/terms" } },
    { label: "A text", input: { text: "# Refunds\n\nRefunds take ten days.", title: "Refunds" } },
  ],
  aliases: {
    file: "path",
    file_path: "path",
    uri: "url",
    content: "text",
    name: "title",
    id: "documentId",
    document_id: "documentId",
    charset: "encoding",
  },
  limits: { timeoutMs: 90_000 },
  reaches: ({ path, url }) => [
    ...(path == null ? [] : [{ kind: "path" as const, path, access: "read" as const }]),
    ...(url == null ? [] : [{ kind: "request" as const, url, method: "GET" }]),
  ],
  ask: ({ path, url, title }, say) =>
    say`Add ${path ?? (url == null ? (title ?? "a text") : `a page of ${hostOf(url)}`)} to the knowledge of the team?`,
  async run({ path, url, text, title, collection, documentId, encoding }, { knowledge, files, attachments, artifacts }) {
    const given = [path, url, text].filter((each) => each != null);
    if (given.length !== 1) return fail("which_document", "Give one of path, url and text: it is what is added.");
    if (encoding != null && (await canonical(encoding)) === undefined) return fail(...unknownEncoding(encoding));
    const draft = {
      encoding: encoding ?? undefined,
      collection: collection ?? usualCollection,
      title: title ?? undefined,
      id: documentId ?? undefined,
    };
    const write = async () => {
      if (text != null) return knowledge.writeText(draft, text);
      if (url != null) return knowledge.writeUrl(draft, url);
      const file = await takeDocument({ path }, { files, attachments, artifacts });
      return isFailure(file) ? file : knowledge.writeFile(draft, { path: path ?? "", bytes: file.bytes });
    };
    const written = await write();
    if (isFailure(written)) return written;
    const { document, unchanged } = written;
    const { id, version, nextVersion, chunks, state, error } = document;
    return { documentId: id, version: nextVersion ?? version, chunks, job: showJob(document), unchanged, state, error: error ?? null };
  },
  toModel({ documentId, version, chunks, job, unchanged, state, error }) {
    const said = unchanged
      ? "has these bytes already; nothing was written"
      : state === "failed"
        ? `could not be read: ${error}`
        : job === null
          ? `is ready, with ${chunks} passages`
          : `waits to be read (${job}); knowledge_search finds it then`;
    return [{ type: "text", text: `Document ${documentId}, version ${version}, ${said}.` }];
  },
});
