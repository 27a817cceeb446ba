import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createLocalEmbedder } from "@toolwright/embeddings";
import {
  createRandomIds,
  type DocumentParser,
  type Embedder,
  type Memory,
  type Passage,
  putDocument,
  silentLogger,
} from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { openTestDatabase } from "@toolwright/postgres/testing";
import { readSections, titleOf } from "../../../packages/tools/src/documents/parse/read-markdown.ts";
import { type FoundPassages, findPassages } from "../../../packages/tools/src/knowledge/find-passages.ts";
import { readVersion } from "../../../packages/tools/src/knowledge/work-documents.ts";
import { askVectors, indexText, rankFound, readQuery } from "../../../packages/tools/src/ranking/index.ts";
import {
  flat,
  type GuideQuestion,
  guideQuestions,
  type MemoryQuestion,
  memoryQuestions,
  tuningQuestions,
} from "../../questions/read-questions.ts";

type Owner = { readonly tenant: "acme"; readonly owner: string };
const owner: Owner = { tenant: "acme", owner: "agent:a" };
const tuner: Owner = { tenant: "acme", owner: "agent:tuner" };
const by = { kind: "user", id: "ann" } as const;
const guide = new URL("../../../docs/guide/", import.meta.url);

/** Counts of one half of the questions. */
export interface Figures {
  readonly paraphrases: Share;
  readonly codes: Share;
  readonly newerFirst: Share;
  readonly unanswerableWeak: Share;
  readonly unanswerableMost: number;
  readonly guide: Share;
}
type Share = { readonly found: number; readonly of: number };

interface Questions {
  measure(held: boolean): Promise<Figures>;
  /** Of the memories and questions for tuning, which have no guide. */
  measureTuning(): Promise<Figures>;
  /** What is found of a question about the cashier, whose passage has none of its words: with the model, and by words alone. */
  askCashier(): Promise<{ readonly byMeaning: FoundPassages; readonly byWords: FoundPassages }>;
  close(): Promise<void>;
}

/** A store with all memories and the whole guide, read as the product reads them; one model for all questions. */
export async function openQuestions(): Promise<Questions> {
  const test = await openTestDatabase("embedded");
  await test.database.close();
  const store = await openStore({ folder: test.folder ?? "", process: "prc_questions", holder: "a test" });
  const embedder = createLocalEmbedder();
  const embed = async () => embedder;
  const { learn, remember } = memoriesIn(store, embed);
  await learn(owner, memoryQuestions);
  await readGuide(store);
  const lookUp = async ({ question }: GuideQuestion) => {
    const query = readQuery(question);
    const describe = ({ text, headings, document }: Passage) => ({ text, names: [document.title, ...headings].join("\n"), savedAt: 0 });
    return rankFound(query, await store.knowledge.search("acme", query), { limit: 5, describe }).items;
  };
  return {
    async measure(held) {
      const ofMemories = await remember(
        owner,
        memoryQuestions.filter((each) => each.held === held),
      );
      const ofGuide = await Promise.all(
        guideQuestions.filter((each) => each.held === held).map(async (each) => ({ ...each, items: await lookUp(each) })),
      );
      return figuresOf(ofMemories, ofGuide);
    },
    async measureTuning() {
      await learn(tuner, tuningQuestions);
      return figuresOf(await remember(tuner, tuningQuestions), []);
    },
    async askCashier() {
      const ofHouse = (place: string) => ({ ...fileOf(place), tenant: "other", collection: "house" });
      const texts = ["To transfer money for a bill, ask the cashier.", "The forecast of the weather is in the hall.", "Dogs wait outside."];
      for (const text of texts) await readText(store, ofHouse(text), Buffer.from(text));
      await putDocument(store.knowledge, ofHouse("Waiting"), Buffer.from("Waiting"));
      const asked = { text: "How can I pay an invoice?", collection: "house", limit: 3 };
      return {
        byMeaning: await findPassages({ store: store.knowledge, embedder: embed }, "other", asked),
        byWords: await findPassages({ store: store.knowledge }, "other", asked),
      };
    },
    async close() {
      await embedder.close?.();
      await store.close();
      await test.cleanup();
    },
  };
}

/** Saves the memories of questions for an owner, with their vectors, and finds what answers questions among them. */
function memoriesIn(store: Store, embedder: () => Promise<Embedder>) {
  const { vectors } = store.memories;
  const ask = (of: Owner, question: string) => askVectors(readQuery(question), { index: vectors, embedder }, of);
  const find = async (of: Owner, { question }: MemoryQuestion) => {
    const query = readQuery(question);
    const { vector } = await ask(of, question);
    const found = await store.memories.search(of, { ...query, ...(vector && { vector }), now: 10_000 });
    const describe = ({ key, content, savedAt }: Memory) => ({ text: content, names: key, savedAt });
    return rankFound(query, found, { limit: 5, describe });
  };
  return {
    async learn(of: Owner, questions: readonly MemoryQuestion[]) {
      await saveMemories(store, of, questions);
      for (let asked = await ask(of, "warm"); asked.vector; asked = await ask(of, "warm"))
        if ((await vectors.pending(asked.vector.model, { limit: 1 })).length === 0) break;
    },
    remember: (of: Owner, questions: readonly MemoryQuestion[]) =>
      Promise.all(questions.map(async (each) => ({ ...each, answer: await find(of, each) }))),
  };
}

async function saveMemories({ memories }: Store, of: Owner, questions: readonly MemoryQuestion[]): Promise<void> {
  const texts = questions.flatMap((question) => question.memories.map((content, at) => ({ content, savedAt: 1_000 * (at + 1) })));
  for (const [at, { content, savedAt }] of texts.entries()) {
    const index = indexText(content, `m${at}`);
    await memories.save(of, { key: `m${at}`, content, category: "core", trust: "agent", sources: [], savedAt, by, index });
  }
}

async function readGuide(store: Store): Promise<void> {
  for (const name of readdirSync(guide)) await readText(store, fileOf(name), readFileSync(new URL(name, guide)));
}

const fileOf = (place: string) => ({
  ...{ tenant: "acme", collection: "guide", title: "", source: { kind: "file" as const, place }, mediaType: "text/markdown" },
  ...{ hash: "", trust: "foreign" as const, sources: [], by, at: 1 },
});

const parser: DocumentParser = {
  async parse({ bytes }) {
    const parts = readSections(new TextDecoder().decode(bytes), { lines: true });
    const title = titleOf(parts);
    return { kind: "markdown", parts, pagesWithoutText: [], rest: [], images: [], notes: [], ...(title !== undefined && { title }) };
  },
};

async function readText({ knowledge, clock }: Store, about: Parameters<typeof putDocument>[1], bytes: Uint8Array): Promise<void> {
  const hash = createHash("sha256").update(bytes).digest("hex");
  const { document } = await putDocument(knowledge, { ...about, hash }, bytes);
  const ref = { tenant: about.tenant, document: document.id, version: document.nextVersion ?? 0 };
  const parts = { store: knowledge, parser, clock, ids: createRandomIds(), logger: silentLogger };
  await readVersion(ref, parts, new AbortController().signal);
}

type Remembered = MemoryQuestion & { readonly answer: ReturnType<typeof rankFound<Memory>> };
type LookedUp = GuideQuestion & { readonly items: ReturnType<typeof rankFound<Passage>>["items"] };

function figuresOf(ofMemories: readonly Remembered[], ofGuide: readonly LookedUp[]): Figures {
  const contents = ({ answer }: Remembered) => answer.items.map(({ item }) => item.content);
  const share = <Each>(some: readonly Each[], isFound: (each: Each) => boolean): Share => ({
    found: some.filter(isFound).length,
    of: some.length,
  });
  const of = (kind: MemoryQuestion["kind"]) => ofMemories.filter((each) => each.kind === kind);
  const isAnswered = ({ file, answer, items }: LookedUp) =>
    items.some(({ item }) => item.document.source.place === file && flat(item.text).includes(answer));
  return {
    paraphrases: share(of("paraphrase"), (each) =>
      contents(each)
        .slice(0, 3)
        .includes(each.memories[0] ?? ""),
    ),
    codes: share(of("code"), (each) => contents(each)[0] === each.memories[0]),
    newerFirst: share(of("pair"), (each) => contents(each)[0] === each.memories[1]),
    unanswerableWeak: share(of("unanswerable"), ({ answer }) => answer.ranking.weak),
    unanswerableMost: Math.max(...of("unanswerable").map((each) => contents(each).length)),
    guide: share(ofGuide, isAnswered),
  };
}
