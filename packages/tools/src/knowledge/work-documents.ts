import { createHash } from "node:crypto";
import { type Logger, ToolwrightError } from "@toolwright/engine";
import {
  type Chunk,
  type Clock,
  type DocumentParser,
  every,
  type Ids,
  type IngestJob,
  type IngestRef,
  type KnowledgeStore,
  lookInTurn,
  type ParsedDocument,
  personWaitingFor,
} from "@toolwright/engine/ports";
import { documentParser } from "../documents/parse/document-parser.ts";
import { writeSelection } from "../documents/parse/selection.ts";
import { indexText } from "../ranking/index.ts";
import { cutChunks } from "./cut-chunks.ts";

export interface WorkDocumentsParts {
  readonly store: KnowledgeStore;
  /** Default: a thread for each document, two at once. */
  readonly parser?: DocumentParser;
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
    const limit = mostAtOnce - running.size;
    const due = limit > 0 ? await parts.store.due({ now: parts.clock.now(), limit }) : [];
    if (!stopping.signal.aborted) due.forEach(begin);
  };
  const look = lookInTurn(lookOnce, { isOver: () => stopping.signal.aborted, report });
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
    await store.install(ref, { ...(await readJob(job, parts, stop)), holder, at: clock.now() });
  } catch (error) {
    if (signal.aborted) await store.release(ref, { holder, at: clock.now() });
    else if (!lost.signal.aborted) await giveUp(error, { job, holder }, parts);
  } finally {
    stopRenewing();
  }
}

async function readJob(job: IngestJob, { parser = documentParser }: WorkDocumentsParts, signal: AbortSignal) {
  const { given, attempts } = job;
  if (attempts >= mostAttempts)
    throw unreadable(`Reading the document came to no end ${mostAttempts} times. Split it, or add it in another format.`);
  const bytes = await job.bytes();
  if (createHash("sha256").update(bytes).digest("hex") !== given.hash)
    throw unreadable("The bytes that came are not those that were announced: their SHA-256 differs. Add the document again.");
  const parsed = await parser.parse({ name: fileNameOf(job), mediaType: given.mediaType, bytes, sharer: sharerOfJob(job), signal });
  const { title, pages, parts } = parsed;
  const unread = describeUnread(parsed);
  if (parts.every(({ text }) => text.trim() === "")) throw unreadable(["The document holds no text.", unread].filter(Boolean).join(" "));
  // A page without a title of its own has its address until it is read. A file keeps its name: people look for that.
  const { kind, place } = given.source;
  const own = kind === "url" && given.title === place ? (title ?? given.title) : given.title;
  const known = { ...(pages !== undefined && { pages }), ...(unread !== "" && { unread }) };
  return { ...known, title: own, chunks: indexChunks(parts, own) };
}

const sharerOfJob = ({ tenant, given }: IngestJob) => ({ tenant, person: personWaitingFor(given) });

/** What searches will not find, and what was read with doubt. */
function describeUnread({ pagesWithoutText: without, notes }: ParsedDocument): string {
  const name = `${without.length === 1 ? "Page" : "Pages"} ${writeSelection(without)}`;
  const scans = without.length === 0 ? [] : [`${name} cannot be read, as scans are: add the file with recognised text (OCR).`];
  return [...scans, ...notes].join(" ");
}

/** Made one by one: a long document has tens of thousands, and others want to get on meanwhile. */
function* indexChunks(parts: ParsedDocument["parts"], title: string): Generator<Chunk> {
  for (const chunk of cutChunks(parts)) yield { ...chunk, index: indexText(chunk.text, [title, ...chunk.headings].join("\n")) };
}

const unreadable = (message: string) => new ToolwrightError("document_unreadable", message);

/** Its ending says what it is where the content does not. */
function fileNameOf({ given: { source, title, mediaType } }: IngestJob): string {
  const name = source.place?.split(/[?#]/)[0]?.split(/[/\\]/).at(-1) || title;
  return `${name}${endings.get(mediaType.split(";")[0]?.trim().toLowerCase() ?? "") ?? ""}`;
}

const endings: ReadonlyMap<string, string> = new Map([
  ["text/html", ".html"],
  ["application/xhtml+xml", ".html"],
  ["text/markdown", ".md"],
  ["text/csv", ".csv"],
  ["application/x-ipynb+json", ".ipynb"],
]);

/** What cannot be read is failed; what only did not work out is tried again. */
async function giveUp(error: unknown, { job, holder }: { readonly job: IngestJob; readonly holder: string }, parts: WorkDocumentsParts) {
  const { store, clock, logger } = parts;
  const at = clock.now();
  const isFinal = ToolwrightError.is(error) && error.code === "document_unreadable";
  const message = ToolwrightError.is(error) ? error.message : "Reading the document failed for a reason that the log of the server has.";
  if (!isFinal) logger.log("warn", "A document could not be read; it is tried again.", { document: job.document, error: String(error) });
  await store.fail(job, { holder, error: message, at, ...(!isFinal && { again: at + leaseMs }) });
}
