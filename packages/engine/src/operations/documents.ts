import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { trusts } from "../contract/foreign.ts";
import { MANAGE_KNOWLEDGE } from "../contract/permissions.ts";
import { sharerOf } from "../ports/fair-pool.ts";
import {
  documentNotFound,
  documentStates,
  type KnowledgeStore,
  knowledgePort,
  mostDocumentsOfPage,
  mostPartBytes,
} from "../ports/knowledge-store.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { actor, after, limitUpTo, pageOf, time } from "./json-parts.ts";
import { documentView, exportedDocumentsView, passagesView, removedDocumentView } from "./views/documents.ts";

const needs = `Needs the permission ${MANAGE_KNOWLEDGE}.`;
const id = z.string().min(1).max(200);
const collection = z.string().min(1).max(100).describe("Name of a group of documents that are searched together");
const source = z.object({
  kind: z.enum(["file", "url", "text"]),
  place: z.string().min(1).max(4_000).optional().describe("Its path or URL: one place of a collection is one document"),
});
const members = {
  id: z.string(),
  tenant: z.string(),
  collection: z.string(),
  title: z.string(),
  source,
  mediaType: z.string(),
  hash: z.string().describe("SHA-256 of its bytes, hex"),
  trust: z.enum(trusts).describe("Who stands behind it: a person, an agent, or foreign, which nobody here wrote"),
  version: z.int().describe("The version that answers; 0 before there is one"),
  state: z.enum(documentStates),
  error: z.string().optional().describe("Why the last version could not be read; of a ready one, what of it could not"),
  chunks: z.int().describe("Passages that searches find"),
  pages: z.int().optional(),
  writtenBy: actor,
  createdAt: time("When its first version came"),
  updatedAt: time("When it changed"),
  nextVersion: z.int().optional().describe("The version that waits or is read"),
};
const document = z.object(members);
const inCollection = { flags: "--collection <name>", about: "only of this group" };

const listDocuments = defineOperation({
  name: "documents.list",
  at: "GET /documents",
  title: "List documents",
  description: `Lists the documents of the tenant with their state, newest first. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "read",
  needs: [knowledgePort],
  input: z.object({ collection: collection.optional(), after, limit: limitUpTo(mostDocumentsOfPage, mostDocumentsOfPage) }),
  output: pageOf(document),
  shell: { form: "knowledge list", about: "List documents, newest first", options: { collection: inCollection }, allPages: true },
  view: {
    columns: { id: "id", title: "title", collection: "collection", state: "state", passages: "chunks", pages: "pages" },
    empty: "There are no documents. Add some with: toolwright knowledge add ./docs --wait",
    none: 'There are no documents in the collection "{collection}". Add some with: toolwright knowledge add ./docs --wait',
  },
  async run({ collection: of, after: cursor, limit }, { principal, ports }) {
    const { documents, next } = await ports.knowledge.store.list(principal.tenant, {
      ...(of !== undefined && { collection: of }),
      ...(cursor !== undefined && { cursor }),
      ...(limit !== undefined && { limit }),
    });
    return { items: documents, next };
  },
});

export const showDocument = defineOperation({
  name: "documents.show",
  at: "GET /documents/{id}",
  title: "Show a document",
  description: `Shows a document with its state. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "read",
  needs: [knowledgePort],
  input: z.object({ id }),
  output: document,
  shell: { form: "knowledge show <id>", about: "Show a document with its state" },
  view: documentView,
  async run({ id: wanted }, { principal, ports }) {
    const found = await ports.knowledge.store.get(principal.tenant, wanted);
    if (!found) throw documentNotFound(wanted);
    return found;
  },
});

const beginDocument = defineOperation({
  name: "documents.begin",
  at: "POST /documents",
  status: 201,
  title: "Begin to upload a document",
  description: `Says what is uploaded. Answers with the document where it has these bytes already; otherwise documents.append takes the parts, and documents.finish ends it. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "write",
  needs: [knowledgePort],
  input: z.object({
    title: z.string().min(1).max(200),
    collection,
    source,
    mediaType: z.string().min(1).max(200),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe("SHA-256 of the bytes, hex; a document that does not have it fails"),
    id: id.optional().describe("Of a document that this is a new version of"),
  }),
  output: z.object({
    upload: z.string().optional().describe("Absent where nothing is to be uploaded"),
    unchanged: document.optional().describe("The document that has these bytes already"),
  }),
  async run({ id: wanted, source: from, ...rest }, { principal, parts, ports }) {
    const { kind, place } = from;
    return ports.knowledge.store.begin(principal.tenant, {
      ...{ ...rest, source: { kind, ...(place !== undefined && { place }) }, sources: [], by: principal.actor },
      ...{ sharer: sharerOf(principal).person, at: parts.clock.now() },
      // What a person types is theirs; nobody here wrote a file or a page.
      trust: kind !== "text" ? "foreign" : principal.actor.kind === "user" && !principal.delegated ? "person" : "agent",
      ...(wanted !== undefined && { id: wanted }),
    });
  },
});

/** Characters of a part in base64. */
const mostOfPart = Math.ceil(mostPartBytes / 3) * 4;
/** Parts of an upload at most. */
const mostParts = 200;

const appendDocument = defineOperation({
  name: "documents.append",
  at: "PUT /document-uploads/{upload}/parts/{part}",
  title: "Upload a part of a document",
  description: `Takes a part of an upload. A part that came before is replaced. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "write",
  needs: [knowledgePort],
  secret: ["content"],
  input: z.object({
    upload: id,
    part: z
      .int()
      .min(0)
      .max(mostParts - 1)
      .describe("Number of the part, from 0"),
    content: z.string().max(mostOfPart).describe(`At most ${mostPartBytes} bytes, in base64`),
  }),
  output: z.object({ bytes: z.int().describe("Bytes of this part") }),
  async run({ upload, part, content }, { principal, parts, ports }) {
    const bytes = Buffer.from(content, "base64");
    const isTaken = await ports.knowledge.store.append(principal.tenant, upload, { part, bytes, at: parts.clock.now() });
    if (!isTaken) throw uploadMissing(upload);
    return { bytes: bytes.length };
  },
});

const finishDocument = defineOperation({
  name: "documents.finish",
  at: "POST /document-uploads/{upload}/finish",
  title: "End the upload of a document",
  description: `Has a server or worker read what was uploaded; the version before answers until then. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "write",
  needs: [knowledgePort],
  input: z.object({ upload: id }),
  output: document,
  async run({ upload }, { principal, parts, ports }) {
    const finished = await ports.knowledge.store.finish(principal.tenant, upload, parts.clock.now());
    if (!finished) throw uploadMissing(upload);
    return finished;
  },
});

const mostCharacters = 1_000_000;

export const readDocument = defineOperation({
  name: "documents.read",
  at: "GET /documents/{id}/text",
  title: "Read a document",
  description: `Reads the text of a document, as searches see it, from a character on. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "read",
  needs: [knowledgePort],
  input: z.object({
    id,
    offset: z.int().min(0).optional().describe("Default: 0"),
    length: z.int().min(1).max(mostCharacters).optional().describe(`Characters at most; default ${mostCharacters}`),
  }),
  output: z.object({ text: z.string(), total: z.int().describe("Characters of the whole text; 0 before it was read") }),
  async run({ id: wanted, offset = 0, length = mostCharacters }, { principal, ports }) {
    const { store } = ports.knowledge;
    if (!(await store.get(principal.tenant, wanted))) throw documentNotFound(wanted);
    return (await store.read(principal.tenant, wanted, { offset, length })) ?? { text: "", total: 0 };
  },
});

const exported = z.object({ id: z.string(), title: z.string(), collection: z.string(), source, text: z.string() });

const exportDocuments = defineOperation({
  name: "documents.export",
  at: "GET /documents/export",
  title: "Export documents",
  description: `Lists documents with the whole text of each, as searches see it, newest first. A page ends after ${mostCharacters} characters, and holds one document at least. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "read",
  needs: [knowledgePort],
  input: z.object({ collection: collection.optional(), after, limit: limitUpTo(mostDocumentsOfPage, mostDocumentsOfPage) }),
  output: z.object({
    items: z.array(exported),
    unread: z.array(z.string()).describe("Titles of documents that have no text yet, as nothing has read them"),
    next: z.string().optional().describe("What to give as `after` for the next page; absent on the last one"),
  }),
  shell: {
    form: "knowledge export",
    about: "Write the text of all documents as lines of JSON",
    options: { collection: inCollection },
    allPages: true,
  },
  view: exportedDocumentsView,
  async run({ collection: of, after: first, limit = mostDocumentsOfPage }, { principal: { tenant }, ports }) {
    const { store } = ports.knowledge;
    const items: z.output<typeof exported>[] = [];
    const unread: string[] = [];
    let next = first;
    // One at a time: how many fit on the page is known when they are read.
    for (let characters = 0; items.length + unread.length < limit && characters < mostCharacters; ) {
      const page = await store.list(tenant, {
        limit: 1,
        ...(of !== undefined && { collection: of }),
        ...(next !== undefined && { cursor: next }),
      });
      for (const { id: found, title, collection: group, source: from, version } of page.documents) {
        if (version === 0) unread.push(title);
        const text = version === 0 ? undefined : await readWhole(store, tenant, found);
        if (text !== undefined) items.push({ id: found, title, collection: group, source: from, text });
        characters += text?.length ?? 0;
      }
      next = page.next;
      if (next === undefined) break;
    }
    return { items, unread, ...(next !== undefined && { next }) };
  },
});

/** Undefined for a document that is gone meanwhile. */
async function readWhole(store: Pick<KnowledgeStore, "read">, tenant: string, wanted: string): Promise<string | undefined> {
  let text = "";
  for (;;) {
    const part = await store.read(tenant, wanted, { offset: text.length, length: mostCharacters });
    if (!part) return undefined;
    text += part.text;
    if (part.text === "" || text.length >= part.total) return text;
  }
}

export const removeDocument = defineOperation({
  name: "documents.remove",
  at: "DELETE /documents/{id}",
  title: "Remove a document",
  description: `Removes a document with all its passages: the next search finds none of it. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "destructive",
  needs: [knowledgePort],
  input: z.object({ id }),
  output: z.object({ removed: z.int().describe("How many passages it had") }),
  shell: { form: "knowledge remove <id...>", about: "Remove documents with all their passages", each: "id" },
  view: removedDocumentView,
  async run({ id: wanted }, { principal, ports }) {
    const removed = await ports.knowledge.store.remove(principal.tenant, wanted);
    if (removed === undefined) throw documentNotFound(wanted);
    return { removed };
  },
});

const passage = z.object({
  text: z.string(),
  citation: z.string().describe("Where it stands, as people cite"),
  document: z.string().describe("Id of its document"),
  title: z.string(),
  page: z.int().optional(),
  offset: z.int().describe("Where it begins in the text of the document"),
  score: z.number().describe("How well it answers, 0 to 1, beside the others of this search"),
  weak: z.boolean().describe("True where it may have nothing to do with the query"),
});

export const searchDocuments = defineOperation({
  name: "documents.search",
  at: "GET /documents/search",
  title: "Search documents",
  description: `Finds passages of documents, as agents find them. ${needs}`,
  permission: MANAGE_KNOWLEDGE,
  effect: "read",
  needs: [knowledgePort],
  input: z.object({
    query: z.string().min(1).max(2_000),
    collection: collection.optional(),
    limit: z.int().min(1).max(30).optional().describe("Default: 8"),
  }),
  output: z.object({
    items: z.array(passage),
    without: z.array(z.string()).describe("Why something took no part in the order"),
    notSearched: z.array(z.object({ id: z.string(), title: z.string(), state: z.enum(documentStates) })),
  }),
  shell: {
    form: "knowledge search <query...>",
    about: "Find passages, as agents find them",
    options: { collection: inCollection, limit: { about: "passages at most (default: 8)" } },
  },
  view: passagesView,
  run: ({ query, collection: of, limit = 8 }, { principal, ports, signal }) =>
    ports.knowledge.search(principal.tenant, query, {
      limit,
      sharer: sharerOf(principal),
      ...(of !== undefined && { collection: of }),
      ...(signal && { signal }),
    }),
});

const uploadMissing = (upload: string) =>
  new ToolwrightError(
    "document_not_found",
    `There is no upload ${JSON.stringify(upload)}: one that is not finished is removed after an hour. Begin again with documents.begin.`,
  );

export const documentsSubject = defineSubject({
  name: "documents",
  permissions: [{ name: MANAGE_KNOWLEDGE, about: "add, read and remove the documents that agents search" }],
  errors: {
    document_unreadable: {
      kind: "failed",
      means: "The document cannot be read: it is encrypted, damaged, of an unknown kind, or beyond a limit.",
    },
    document_not_found: { kind: "missing", means: "There is no such document for this principal." },
  },
  store: [knowledgePort],
  tools: "knowledge",
  loops: [
    { name: "read_documents", about: "reads documents that wait" },
    { name: "document_vectors", about: "gives passages of documents the vectors that a search by meaning compares" },
  ],
  shell: {
    knowledge: {
      about: "Knowledge: documents that agents search with the tool knowledge_search",
      notes:
        "A server or a worker reads what was added; with --wait this command does. PDF, Word, HTML, mail, Markdown, notebooks, CSV and text can be read.",
      examples: [
        "knowledge add ./docs --collection handbook --wait",
        "knowledge search 'How long do refunds take?'",
        "knowledge export > documents.jsonl",
        "knowledge remove doc_81f2",
      ],
    },
  },
  operations: [
    listDocuments,
    showDocument,
    beginDocument,
    appendDocument,
    finishDocument,
    readDocument,
    exportDocuments,
    searchDocuments,
    removeDocument,
  ],
});
