import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createLocalEmbedder } from "@toolwright/embeddings";
import { createRandomIds, type DocumentParser, type Memory, type Passage, putDocument, silentLogger } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { openTestDatabase } from "@toolwright/postgres/testing";
import { readSections, titleOf } from "../../../packages/tools/src/documents/parse/read-markdown.ts";
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

/** A store with all memories and the whole guide, read as the product reads them; one model for all questions. */
export async function openQuestions(): Promise<{
  measure(held: boolean): Promise<Figures>;
  /** Of the memories and questions for tuning; they know nothing of the guide. */
  measureTuning(): Promise<Figures>;
  close(): Promise<void>;
}> {
  const test = await openTestDatabase("embedded");
  await test.database.close();
  const store = await openStore({ folder: test.folder ?? "", process: "prc_questions", holder: "a test" });
  const embedder = createLocalEmbedder();
  const embed = async () => embedder;
  const learn = async (of: Owner, questions: readonly MemoryQuestion[]) => {
    await saveMemories(store, of, questions);
    while ((await askVectors(readQuery("warm"), { index: store.memories.vectors, embedder: embed }, of)).vector) {
      if ((await store.memories.vectors.pending(embedder.model, { limit: 1 })).length === 0) break;
    }
  };
  await learn(owner, memoryQuestions);
  await readGuide(store);
  const remember = async (of: Owner, { question }: MemoryQuestion) => {
    const query = readQuery(question);
    const { vector } = await askVectors(query, { index: store.memories.vectors, embedder: embed }, of);
    const found = await store.memories.search(of, { ...query, ...(vector && { vector }), now: 10_000 });
    const describe = ({ key, content, savedAt }: Memory) => ({ text: content, names: key, savedAt });
    return rankFound(query, found, { limit: 5, describe });
  };
  const rememberAll = (of: Owner, questions: readonly MemoryQuestion[]) =>
    Promise.all(questions.map(async (each) => ({ ...each, answer: await remember(of, each) })));
  const lookUp = async ({ question }: GuideQuestion) => {
    const query = readQuery(question);
    const describe = ({ text, headings, document }: Passage) => ({ text, names: [document.title, ...headings].join("\n"), savedAt: 0 });
    return rankFound(query, await store.knowledge.search("acme", query), { limit: 5, describe }).items;
  };
  return {
    async measure(held) {
      const ofMemories = await rememberAll(
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
      return figuresOf(await rememberAll(tuner, tuningQuestions), []);
    },
    async close() {
      await embedder.close?.();
      await store.close();
      await test.cleanup();
    },
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
  const { knowledge, clock } = store;
  const parser: DocumentParser = {
    async parse({ bytes }) {
      const parts = readSections(new TextDecoder().decode(bytes), { lines: true });
      const title = titleOf(parts);
      return { kind: "markdown", parts, pagesWithoutText: [], rest: [], images: [], notes: [], ...(title !== undefined && { title }) };
    },
  };
  for (const name of readdirSync(guide)) {
    const bytes = readFileSync(new URL(name, guide));
    const hash = createHash("sha256").update(bytes).digest("hex");
    const source = { kind: "file", place: name } as const;
    const about = {
      tenant: "acme",
      collection: "guide",
      title: "",
      source,
      mediaType: "text/markdown",
      hash,
      trust: "foreign",
      sources: [],
      by,
      at: 1,
    } as const;
    const { document } = await putDocument(knowledge, about, bytes);
    for (const ref of await knowledge.due({ now: clock.now(), limit: 10 }))
      if (ref.document === document.id)
        await readVersion(
          ref,
          { store: knowledge, parser, clock, ids: createRandomIds(), logger: silentLogger },
          new AbortController().signal,
        );
  }
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
