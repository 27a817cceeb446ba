import { createHash } from "node:crypto";
import { type CallSite, type Capability, type CapabilityProvider, type Failure, fail, type Logger } from "@toolwright/engine";
import {
  type Clock,
  type DocumentRecord,
  documentNotFound,
  type Embedder,
  type ForeignMarks,
  type Ids,
  type KnowledgeStore,
  type NewDocument,
  putDocument,
  sharerOf,
  trustOf,
} from "@toolwright/engine/ports";
import { originOf } from "../memory/origin-of.ts";
import { type FoundPassages, findPassages } from "./find-passages.ts";
import { readVersion } from "./work-documents.ts";

/** The documents of the tenant. */
export interface ReadKnowledge {
  search(query: string, options: { readonly collection?: string; readonly limit: number }): Promise<FoundPassages>;
  /** Rejects with `document_not_found`. `text` is undefined where no version answers yet. */
  read(
    id: string,
    part: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly document: DocumentRecord; readonly text: string | undefined; readonly total: number }>;
  list(page: {
    readonly collection?: string;
    readonly cursor?: string;
  }): Promise<{ readonly documents: readonly DocumentRecord[]; readonly next?: string }>;
}

export interface DocumentDraft {
  readonly collection: string;
  readonly title?: string | undefined;
  /** Id of the document that gets a new version. */
  readonly id?: string | undefined;
  /** The encoding of a file or a page, where its bytes do not tell it. */
  readonly encoding?: string | undefined;
}

/** A file of the workspace. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What came of writing: the document as it is now, and whether these were its bytes already. */
export interface WrittenDocument {
  readonly document: DocumentRecord;
  readonly unchanged: boolean;
}

export interface WriteKnowledge extends ReadKnowledge {
  writeFile(draft: DocumentDraft, file: WrittenFile): Promise<WrittenDocument>;
  /** Short ones answer at once. */
  writeText(draft: DocumentDraft, text: string): Promise<WrittenDocument>;
  /** Fetches the page by the rules that hold for every request. */
  writeUrl(draft: DocumentDraft, url: string): Promise<WrittenDocument | Failure>;
  /** How many passages were removed. Rejects with `document_not_found`. */
  remove(id: string): Promise<number>;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** Documents of the tenant, found by their passages. */
    knowledge: Capability<"read", ReadKnowledge> | Capability<"write", WriteKnowledge>;
  }
}

export interface KnowledgeParts {
  readonly store: KnowledgeStore;
  /** Opens the model that makes vectors. Left out: words and names decide. */
  readonly embedder?: (() => Promise<Embedder>) | undefined;
  readonly http: CapabilityProvider<"http">;
  readonly foreign: ForeignMarks;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Characters of a text that is read within the call. */
const mostAtOnce = 64_000;
const mostFetched = 50_000_000;
const accept = "text/html, text/markdown, text/plain, application/pdf, */*;q=0.5";

/** Gives `ctx.knowledge`. */
export function knowledgeCapability(parts: KnowledgeParts): CapabilityProvider<"knowledge"> {
  return {
    name: "knowledge",
    weigh: (effect) => ({ changes: effect === "write", openWorld: false }),
    open: (_effect, site) => new KnowledgeOf(site, parts),
  };
}

class KnowledgeOf implements WriteKnowledge {
  readonly #site: CallSite;
  readonly #parts: KnowledgeParts;
  readonly #tenant: string;

  constructor(site: CallSite, parts: KnowledgeParts) {
    this.#site = site;
    this.#parts = parts;
    this.#tenant = site.principal.tenant;
  }

  search(text: string, { collection, limit }: Parameters<ReadKnowledge["search"]>[1]): Promise<FoundPassages> {
    return findPassages(this.#parts, this.#tenant, {
      text,
      limit,
      sharer: sharerOf(this.#site.principal),
      signal: this.#site.signal,
      ...(collection !== undefined && { collection }),
    });
  }

  async read(id: string, part: { readonly offset: number; readonly length: number }) {
    const { store } = this.#parts;
    const document = await store.get(this.#tenant, id);
    if (!document) throw documentNotFound(id);
    const found = await store.read(this.#tenant, id, part);
    return { document, text: found?.text, total: found?.total ?? 0 };
  }

  list(page: Parameters<ReadKnowledge["list"]>[0]) {
    return this.#parts.store.list(this.#tenant, page);
  }

  writeFile(draft: DocumentDraft, { path, bytes }: WrittenFile): Promise<WrittenDocument> {
    const name = path.split("/").at(-1) ?? path;
    const mediaType = inEncoding("application/octet-stream", draft.encoding);
    return this.#put(draft, { title: name, source: { kind: "file", place: path }, mediaType }, bytes);
  }

  async writeText(draft: DocumentDraft, text: string): Promise<WrittenDocument> {
    const named = { title: firstLine(text), source: { kind: "text" }, mediaType: "text/markdown" } as const;
    const written = await this.#put(draft, named, new TextEncoder().encode(text));
    const { document, unchanged } = written;
    if (unchanged || text.length > mostAtOnce) return written;
    const { store, clock, ids, logger } = this.#parts;
    const ref = { tenant: this.#tenant, document: document.id, version: document.nextVersion ?? 0 };
    await readVersion(ref, { store, clock, ids, logger }, this.#site.signal);
    return { document: (await store.get(this.#tenant, document.id)) ?? document, unchanged };
  }

  async writeUrl(draft: DocumentDraft, url: string): Promise<WrittenDocument | Failure> {
    const { status, body, headers, truncated } = await this.#parts.http
      .open("read", this.#site)
      .request({ url, maxBytes: mostFetched, headers: { Accept: accept } });
    if (status < 200 || status > 299) return fail("http_status", `${url} answered with status ${status}. Check the URL.`, { status });
    if (truncated) return fail("document_too_large", `${url} has more than ${mostFetched / 1_000_000} MB. Write a part of it.`);
    const mediaType = inEncoding(headers["content-type"] ?? "application/octet-stream", draft.encoding);
    return this.#put(draft, { title: url, source: { kind: "url", place: url }, mediaType }, body);
  }

  async remove(id: string): Promise<number> {
    const removed = await this.#parts.store.remove(this.#tenant, id);
    if (removed === undefined) throw documentNotFound(id);
    return removed;
  }

  async #put(
    { collection, title, id }: DocumentDraft,
    named: Pick<NewDocument, "mediaType" | "source" | "title">,
    bytes: Uint8Array,
  ): Promise<WrittenDocument> {
    const { store, foreign, clock } = this.#parts;
    const { principal, session, callId } = this.#site;
    const { trust, sources } = originOf(await trustOf(principal, session, foreign), callId);
    const document: NewDocument = {
      ...{ ...named, collection, title: title ?? named.title, sources },
      ...{ by: principal.actor, sharer: sharerOf(principal).person, at: clock.now() },
      // Nobody here wrote a file or a page.
      trust: named.source.kind === "text" ? trust : "foreign",
      hash: createHash("sha256").update(bytes).digest("hex"),
      ...(id !== undefined && { id }),
    };
    return putDocument(store, { ...document, tenant: this.#tenant }, bytes);
  }
}

/** A media type that names the encoding: the version that is read later has nothing else that does. */
const inEncoding = (mediaType: string, encoding: string | undefined) =>
  encoding === undefined ? mediaType : `${mediaType.split(";")[0]}; charset=${encoding}`;

const firstLine = (text: string) =>
  (text.trim().split("\n")[0] ?? "")
    .replace(/^#+\s*/, "")
    .slice(0, 80)
    .toWellFormed() || "Text";
