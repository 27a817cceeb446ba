import { createHash } from "node:crypto";
import { type NewDocument, putDocument } from "@toolwright/engine/ports";
import type { Area } from "./area.ts";
import type { World } from "./open-world.ts";

const at = Date.UTC(2026, 0, 1);
const by = { kind: "user", id: "ann" } as const;
const query = { words: ["secret"], codes: [], folded: "secret", language: "english" };
const lease = { holder: "one", until: at + 10 };

const newDocument = (text: string, place: string): NewDocument => ({
  ...{ collection: "handbook", title: "Handbook.md", source: { kind: "file", place }, mediaType: "text/markdown", trust: "foreign" },
  ...{ hash: createHash("sha256").update(text).digest("hex"), sources: [], by, at },
});
const chunk = (text: string) => ({ text, headings: [], from: 0, index: { folded: text, names: text, language: "english" } });
const refOf = (tenant: string, document: string) => ({ tenant, document, version: 2 });

/** A document whose first version answers, and whose second one a run reads. */
async function make({ store: { knowledge } }: World, tenant: string, name: string): Promise<string> {
  const put = (text: string) => putDocument(knowledge, { ...newDocument(text, name), tenant }, Buffer.from(text));
  const { document } = await put(`secret ${name}`);
  const first = { ...refOf(tenant, document.id), version: 1 };
  await knowledge.take(first, lease, at);
  await knowledge.install(first, { holder: "one", chunks: [chunk(`secret ${name}`)], at });
  await put(`secret ${name} again`);
  await knowledge.take(refOf(tenant, document.id), lease, at);
  return document.id;
}

async function look({ store: { knowledge } }: World, tenant: string, id: string) {
  const due = await knowledge.due({ now: at + 99, limit: 999 });
  return [
    await knowledge.get(tenant, id),
    await knowledge.read(tenant, id, { offset: 0, length: 99 }),
    due.filter(({ document }) => document === id),
  ];
}

const documents: Area = {
  make,
  look,
  byId: {
    "store.knowledge.begin": ({ store }, tenant, id) => store.knowledge.begin(tenant, { ...newDocument("spied", `of ${id}`), id }),
    "store.knowledge.take": async ({ store }, tenant, id) => {
      const job = await store.knowledge.take(refOf(tenant, id), { holder: "two", until: at + 30 }, at + 20);
      return job && { ...job, bytes: (await job.bytes()).length };
    },
    "store.knowledge.renew": ({ store }, tenant, id) => store.knowledge.renew(refOf(tenant, id), { holder: "one", until: at + 50 }),
    "store.knowledge.install": ({ store }, tenant, id) =>
      store.knowledge.install(refOf(tenant, id), { holder: "one", chunks: [chunk("spied")], at }),
    "store.knowledge.release": ({ store }, tenant, id) => store.knowledge.release(refOf(tenant, id), { holder: "one", at }),
    "store.knowledge.fail": ({ store }, tenant, id) => store.knowledge.fail(refOf(tenant, id), { holder: "one", error: "spied", at }),
    "store.knowledge.get": ({ store }, tenant, id) => store.knowledge.get(tenant, id),
    "store.knowledge.read": ({ store }, tenant, id) => store.knowledge.read(tenant, id, { offset: 0, length: 99 }),
    "store.knowledge.remove": ({ store }, tenant, id) => store.knowledge.remove(tenant, id),
    "operations.documents.show": ({ operateOf }, tenant, id) => operateOf(tenant)("documents.show", { id }),
    "operations.documents.read": ({ operateOf }, tenant, id) => operateOf(tenant)("documents.read", { id }),
    "operations.documents.remove": ({ operateOf }, tenant, id) => operateOf(tenant)("documents.remove", { id }),
  },
  lists: {
    "store.knowledge.list": ({ store }, tenant) => store.knowledge.list(tenant, {}),
    "store.knowledge.search": ({ store }, tenant) => store.knowledge.search(tenant, query),
    "store.knowledge.vectors.pending": ({ store }, tenant) => store.knowledge.vectors.pending("model", { limit: 99, tenant }),
    "operations.documents.list": ({ operateOf }, tenant) => operateOf(tenant)("documents.list", {}),
    "operations.documents.export": ({ operateOf }, tenant) => operateOf(tenant)("documents.export", {}),
    "operations.documents.search": ({ operateOf }, tenant) => operateOf(tenant)("documents.search", { query: "secret" }),
  },
};

/** Uploads that nobody has finished. */
const uploads: Area = {
  async make({ store }, tenant, name) {
    const begun = await store.knowledge.begin(tenant, newDocument("secret", `upload ${name}`));
    return "upload" in begun ? begun.upload : "";
  },
  // What there is of one shows when it is finished.
  look: () => undefined,
  byId: {
    "store.knowledge.append": ({ store }, tenant, upload) =>
      store.knowledge.append(tenant, upload, { part: 0, bytes: Buffer.from("spied"), at }),
    "store.knowledge.finish": ({ store }, tenant, upload) => store.knowledge.finish(tenant, upload, at),
    "operations.documents.append": ({ operateOf }, tenant, upload) =>
      operateOf(tenant)("documents.append", { upload, part: 0, content: "c3BpZWQ=" }),
    "operations.documents.finish": ({ operateOf }, tenant, upload) => operateOf(tenant)("documents.finish", { upload }),
  },
};

/** Documents are named by their places, which are their tenants'. */
const places: Area = {
  make: (world, tenant, name) => make(world, tenant, name).then(() => name),
  look: () => undefined,
  byId: {
    "operations.documents.begin": async ({ operateOf }, tenant, place) => {
      const hash = createHash("sha256").update(`secret ${place} again`).digest("hex");
      const source = { kind: "file", place } as const;
      const given = { title: "Handbook.md", collection: "handbook", source, mediaType: "text/markdown", hash };
      return (await operateOf(tenant)("documents.begin", given)).unchanged?.hash;
    },
  },
};

export const knowledgeAreas: readonly Area[] = [documents, uploads, places];
