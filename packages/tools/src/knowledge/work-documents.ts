import { createHash } from "node:crypto";
import { type Logger, ToolwrightError } from "@toolwright/engine";
import {
  type Chunk,
  type Clock,
  every,
  type Ids,
  type IngestJob,
  type IngestRef,
  type KnowledgeStore,
  type ParsedDocument,
} from "@toolwright/engine/ports";
import { indexText } from "../ranking/index.ts";
import { cutChunks } from "./cut-chunks.ts";

/** Reads a document. *Contract:* rejects with `document_unreadable` for one that it cannot read, now and later. */
export type ReadDocument = (document: {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly signal: AbortSignal;
}) => Promise<Pick<ParsedDocument, "pages" | "parts" | "title">>;

export interface WorkDocumentsParts {
  readonly store: KnowledgeStore;
  readonly read: ReadDocument;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Milliseconds between two looks for documents that wait, of a lease, and between two signs of a run that lives. */
const lookMs = 5_000;
const leaseMs = 30_000;
const renewMs = 10_000;
/** Documents that one process reads at once. */
const mostAtOnce = 2;
/** Runs that begin for one version: what ends its process each time is given up. */
const mostAttempts = 3;

/** Reads documents that wait, from now on whenever there are some. Returns how to stop: what is being read is left to others. */
export function startDocuments(parts: WorkDocumentsParts): () => Promise<void> {
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const report = (error: unknown) => parts.logger.log("warn", "A document could not be read; it is tried again.", { error: String(error) });
  let isLooking = false;
  let isAskedAgain = false;
  const begin = (ref: IngestRef) => {
    const run = readVersion(ref, parts, stopping.signal)
      .catch(report)
      .finally(() => {
        running.delete(run);
        look();
      });
    running.add(run);
  };
  const lookOnce = async () => {
    isAskedAgain = false;
    const limit = mostAtOnce - running.size;
    const due = limit > 0 ? await parts.store.due({ now: parts.clock.now(), limit }) : [];
    if (!stopping.signal.aborted) due.forEach(begin);
  };
  const look = () => {
    isAskedAgain = true;
    if (stopping.signal.aborted || isLooking) return;
    isLooking = true;
    void lookOnce()
      .catch(report)
      .finally(() => {
        isLooking = false;
        if (isAskedAgain) look();
      });
  };
  const stops = [every(lookMs, parts.clock, look), parts.store.onDue(look)];
  look();
  return async () => {
    for (const stop of stops) stop();
    stopping.abort(new ToolwrightError("call_handed_over", "The process ends; another one reads the document."));
    await Promise.all(running);
  };
}

/** Reads a version that is due, and has it answer or fail. Nothing where somebody else took it. */
export async function readVersion(ref: IngestRef, parts: WorkDocumentsParts, signal: AbortSignal): Promise<void> {
  const { store, clock, ids } = parts;
  const holder = ids.next("run");
  const leaseNow = () => ({ holder, until: clock.now() + leaseMs });
  const job = await store.take(ref, leaseNow(), clock.now());
  if (!job) return;
  const lost = new AbortController();
  const stopRenewing = every(renewMs, clock, () => {
    void store.renew(ref, leaseNow()).then(
      (isHeld) => isHeld || lost.abort(new ToolwrightError("call_lost", "The document was removed, or has a newer version.")),
      () => undefined,
    );
  });
  const stop = AbortSignal.any([signal, lost.signal]);
  try {
    const { title, pages, chunks } = await readJob(job, parts, stop);
    await store.install(ref, {
      holder,
      chunks,
      at: clock.now(),
      ...(title !== undefined && { title }),
      ...(pages !== undefined && { pages }),
    });
  } catch (error) {
    if (!lost.signal.aborted) await giveBack(error, { job, holder, isLeaving: signal.aborted }, parts);
  } finally {
    stopRenewing();
  }
}

async function readJob(job: IngestJob, { read }: WorkDocumentsParts, signal: AbortSignal) {
  const { given, attempts } = job;
  if (attempts >= mostAttempts)
    throw unreadable(`The process that read the document ended ${mostAttempts} times. Split the document, or add it in another format.`);
  const bytes = await job.bytes();
  if (createHash("sha256").update(bytes).digest("hex") !== given.hash)
    throw unreadable("The bytes that came are not those that were announced: their SHA-256 differs. Add the document again.");
  const { title, pages, parts } = await read({ name: fileNameOf(job), bytes, signal });
  return { title: given.title === "" ? title : undefined, pages, chunks: indexChunks(parts, given.title || (title ?? "")) };
}

/** Made one by one: a long document has tens of thousands, and others want to get on meanwhile. */
function* indexChunks(parts: ParsedDocument["parts"], title: string): Generator<Chunk> {
  for (const chunk of cutChunks(parts)) yield { ...chunk, index: indexText(chunk.text, [title, ...chunk.headings].join("\n")) };
}

const unreadable = (message: string) => new ToolwrightError("document_unreadable", message);

/** Its ending says what it is where the content does not. */
function fileNameOf({ given: { source, title, mediaType } }: IngestJob): string {
  const name = source.place?.split(/[?#]/)[0]?.split(/[/\\]/).at(-1) ?? title;
  if (/\.[a-z0-9]{1,10}$/i.test(name)) return name;
  return `${name || "document"}${endings.get(mediaType.split(";")[0]?.trim().toLowerCase() ?? "") ?? ""}`;
}

const endings: ReadonlyMap<string, string> = new Map([
  ["text/html", ".html"],
  ["application/xhtml+xml", ".html"],
  ["text/markdown", ".md"],
  ["text/csv", ".csv"],
  ["application/x-ipynb+json", ".ipynb"],
]);

interface Ended {
  readonly job: IngestJob;
  readonly holder: string;
  readonly isLeaving: boolean;
}

/** What cannot be read is failed; what only did not work out is tried again, sooner where this process ends. */
async function giveBack(error: unknown, { job, holder, isLeaving }: Ended, { store, clock, logger }: WorkDocumentsParts): Promise<void> {
  const at = clock.now();
  const isFinal = ToolwrightError.is(error) && error.code === "document_unreadable";
  const message = ToolwrightError.is(error) ? error.message : "Reading the document failed for a reason that is in the log.";
  if (!isFinal && !isLeaving)
    logger.log("warn", "A document could not be read; it is tried again.", { document: job.document, error: String(error) });
  const again = isLeaving ? at : at + leaseMs;
  await store.fail(job, { holder, error: message, at, ...(!isFinal && { again }) });
}
