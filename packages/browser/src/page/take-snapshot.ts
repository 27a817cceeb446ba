import type { Frame, Page } from "playwright-core";
import { answerMs, askSurveyor, locate } from "./ask-surveyor.ts";
import { hidePasswords } from "./hide-passwords.ts";
import type { Piece, Question } from "./surveyor.ts";

/** Bytes of a snapshot. */
const mostSnapshotBytes = 20_000;
/** Characters that pieces are chosen for: some lines come out longer than the estimate. */
const budget = 16_000;
const frameBudget = 4_000;
const longestLine = 1_000;
const mostFrames = 8;
/** Milliseconds in which a document answers: one that was loaded may be slow, one that a page made is there at once or not at all. */
const patience = { loaded: answerMs, made: 500 };

/** A piece of a page that was read, with the refs that its text names. */
export interface ReadPiece {
  readonly frame: Frame;
  readonly token: number;
}

/** Where to go on reading. */
export interface RestOfPage {
  readonly frame: Frame;
  readonly start: Pick<Extract<Question, { ask: "survey" }>, "token" | "from" | "offset">;
  readonly what: string;
}

export interface Snapshot {
  readonly text: string;
  /** The piece that a ref stands in. */
  readonly refs: ReadonlyMap<string, ReadPiece>;
  readonly rests: readonly RestOfPage[];
}

interface Draft {
  readonly lines: string[];
  readonly refs: Map<string, ReadPiece>;
  readonly rests: RestOfPage[];
  readonly partsBefore: number;
}

interface SnapshotOptions {
  /** Texts that are masked beside the values of password fields. */
  readonly hidden: readonly string[];
  /** Parts that the caller knows already. */
  readonly partsBefore?: number;
}

const wholePage = { from: 0, offset: 0 };

/** Reads a page, or goes on where a snapshot stopped. */
export async function takeSnapshot(
  place: Pick<RestOfPage, "frame" | "start">,
  { hidden, partsBefore = 0 }: SnapshotOptions,
): Promise<Snapshot> {
  const draft: Draft = { lines: [], refs: new Map(), rests: [], partsBefore };
  const before = await passwordsOf(place.frame.page());
  await readPieces(place, { draft, indent: 0, budget });
  if (place.start.token === undefined) await readFrames(place.frame.page(), draft);
  const after = await passwordsOf(place.frame.page());
  return cut(draft, (text) => hidePasswords(text, [...new Set([...before, ...after, ...hidden])]));
}

export function wholeOf(page: Page): Pick<RestOfPage, "frame" | "start"> {
  return { frame: page.mainFrame(), start: wholePage };
}

/** Values of password fields, in every frame: snapshots would hold them. */
export async function passwordsOf(page: Page): Promise<readonly string[]> {
  return (await askFrames<string[]>(page, { ask: "passwords" })).flatMap(({ answer }) => answer);
}

/** Asks every document of the page at once, and leaves out those that do not answer. */
export async function askFrames<Answer>(page: Page, question: Question): Promise<readonly { frame: Frame; answer: Answer }[]> {
  const asked = readableFrames(page).map(async (frame) => {
    const answer = await askSurveyor<Answer>(frame, question, patienceWith(frame)).catch(() => undefined);
    return answer == null ? [] : [{ frame, answer }];
  });
  return (await Promise.all(asked)).flat();
}

/** What one piece says, by the library. Rejects when its element is gone. */
export function readPiece({ frame, token }: ReadPiece, timeout = answerMs): Promise<string> {
  return locate(frame, { ask: "element", token }).ariaSnapshot({ mode: "ai", timeout });
}

/** A line begins with a role, a quoted name and marks; what follows, and what is quoted, are words of the page. */
const marksOfLine = /^[ \t]*- '?[a-z]+(?: "(?:[^"\\\n]|\\.)*")?((?: \[[^\]\n]*\])+)/gm;

/** The refs that a text of the library gives: not those that a page writes into its words. */
export function refsIn(text: string): string[] {
  return [...text.matchAll(marksOfLine)].flatMap(([, marks]) => /\[ref=((?:f\d+)?e\d+)\]/.exec(marks as string)?.[1] ?? []);
}

interface Reading {
  readonly draft: Draft;
  readonly indent: number;
  readonly budget: number;
}

async function readPieces({ frame, start }: Pick<RestOfPage, "frame" | "start">, reading: Reading): Promise<void> {
  const { draft, indent } = reading;
  const pieces = await askSurveyor<Piece[]>(frame, { ask: "survey", ...start, budget: reading.budget });
  const texts = await Promise.all(
    // An element may go while its neighbours are read.
    pieces.map((piece) => (piece.kind === "whole" ? readPiece({ frame, token: piece.token }).catch(() => "") : "")),
  );
  for (const [index, piece] of pieces.entries()) {
    const margin = "  ".repeat(indent + piece.depth);
    if (piece.kind === "whole") {
      const text = texts[index] as string;
      for (const ref of refsIn(text)) draft.refs.set(ref, { frame, token: piece.token });
      if (text !== "") draft.lines.push(...text.split("\n").map((line) => `${margin}${line}`));
    } else if (piece.kind === "open") draft.lines.push(`${margin}- ${piece.label}:`);
    else if (piece.kind === "text") draft.lines.push(`${margin}- text: ${piece.text}`);
    else if (piece.kind === "frame") draft.lines.push(`${margin}- iframe`);
    else noteRest(piece, frame, { ...reading, indent: indent + piece.depth });
  }
}

/** Documents inside the page, after what holds them: a page is not asked in which of its elements each of them stands. */
async function readFrames(page: Page, draft: Draft): Promise<void> {
  const inner = readableFrames(page)
    .filter((frame) => frame !== page.mainFrame())
    .slice(0, mostFrames);
  const read = await Promise.all(
    inner.map(async (frame) => {
      const own: Draft = { lines: [], refs: new Map(), rests: [], partsBefore: draft.partsBefore };
      const isThere = await askSurveyor(frame, { ask: "passwords" }, patienceWith(frame)).catch(() => undefined);
      if (isThere) await readPieces({ frame, start: wholePage }, { draft: own, indent: 1, budget: frameBudget }).catch(() => undefined);
      return { frame, own };
    }),
  );
  for (const { frame, own } of read) {
    if (own.lines.length === 0) continue;
    draft.lines.push(`- iframe ${JSON.stringify(frame.url().slice(0, 200))}:`, ...own.lines);
    for (const [ref, piece] of own.refs) draft.refs.set(ref, piece);
  }
}

const patienceWith = (frame: Frame) => (frame.url().startsWith("http") ? patience.loaded : patience.made);

/** Those with a document that can be asked: none where nothing could be loaded. */
function readableFrames(page: Page): readonly Frame[] {
  return page.frames().filter((frame) => frame === page.mainFrame() || /^(?:https?|about|blob):/.test(frame.url()));
}

function noteRest(piece: Extract<Piece, { kind: "rest" }>, frame: Frame, { draft, indent }: Reading): void {
  const { token, from, offset, left, label, next } = piece;
  const where = label === "" ? "the page" : label;
  const names = next.length === 0 ? "" : `: ${next.join(", ")}`;
  const what = offset > 0 ? `the text goes on in ${where}, and ${left} more elements follow` : `${left} more elements of ${where}${names}`;
  draft.rests.push({ frame, start: { token, from, offset }, what });
  draft.lines.push(`${"  ".repeat(indent)}- … ${what} (part ${draft.partsBefore + draft.rests.length})`);
}

/** Whole lines that fit; refs of the others are not for use, since nobody saw them. */
function cut({ lines, refs, rests }: Draft, hide: (text: string) => string): Snapshot {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of hide(lines.join("\n")).split("\n")) {
    const shown = line.length > longestLine ? `${line.slice(0, longestLine)}… (${line.length} characters)` : line;
    bytes += Buffer.byteLength(shown) + 1;
    if (bytes > mostSnapshotBytes - 200) break;
    kept.push(shown);
  }
  const left = lines.length - kept.length;
  if (left > 0) kept.push(`- … ${left} more lines do not fit: look at one element with its ref, or use browser_find`);
  const text = kept.join("\n");
  const seen = new Set(refsIn(text));
  return { text, refs: new Map([...refs].filter(([ref]) => seen.has(ref))), rests };
}
