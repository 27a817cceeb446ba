import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePdf } from "../../packages/tools/test/make-pdf.ts";

/** One request of a flood: a path below `/api`, and a body that is sent as JSON unless it is text or bytes. */
export interface FloodRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object | string;
  readonly type?: string;
}

export interface FloodKind {
  readonly name: string;
  /** Requests in flight. */
  readonly inFlight: number;
  /** The request of a number, counted from 0. */
  readonly request: (number: number) => FloodRequest;
}

const lines = (count: number, of: (line: number) => string) => Array.from({ length: count }, (_, line) => of(line)).join("\n");

/** The files that floods name, in the folder of a tenant. */
export function writeFloodFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const page = { lines: Array.from({ length: 50 }, (_, line) => `Line ${line} of a page that takes a while to read.`) };
  writeFileSync(join(folder, "heavy.pdf"), makePdf(Array.from({ length: 300 }, () => page)));
  writeFileSync(
    join(folder, "long.txt"),
    lines(20_000, (line) => `line ${line % 97}`),
  );
}

const call = (tool: string, input: object): FloodRequest => ({ method: "POST", path: `/tools/${tool}/call`, body: input });
const absent = lines(10_000, (line) => `line ${(line % 97) + 1_000}`);
const anchors = `*** Begin Patch\n*** Update File: long.txt\n${"@@\n line 1\n-line 1 of 2\n+line 2\n".repeat(400)}*** End Patch\n`;
const deep = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
const boundary = "toolwright-flood";
const emptyParts = `${`--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n`.repeat(40_000)}--${boundary}--\r\n`;

/** What a person of one tenant does as often as they can: pools first, then inputs whose cost must not grow faster than they do. */
export const floodKinds: readonly FloodKind[] = [
  {
    name: "programs",
    inFlight: 32,
    request: () => call("code_run", { program: "let sum = 0; for (let n = 0; n < 3e6; n++) sum += n; return sum" }),
  },
  {
    name: "programs-that-wait",
    inFlight: 32,
    request: () => call("code_run", { program: "for (let n = 0; n < 50; n++) await tools.file_list({ path: '.' })" }),
  },
  { name: "documents", inFlight: 16, request: () => call("document_read", { path: "heavy.pdf" }) },
  { name: "browsers", inFlight: 16, request: (number) => ({ ...call("browser_open", { url: `http://127.0.0.1:9/${number}` }) }) },
  {
    name: "searches",
    inFlight: 32,
    request: (number) => ({ method: "GET", path: `/search?query=${encodeURIComponent(`read a file number ${number}`)}` }),
  },
  { name: "jobs", inFlight: 16, request: () => ({ method: "POST", path: "/jobs", body: { tool: "file_list", input: { path: "." } } }) },
  {
    name: "uploads",
    inFlight: 16,
    request: (number) => ({
      ...{ method: "POST", path: "/documents" },
      body: {
        ...{ collection: "flood", title: `${number}`, source: { kind: "file", place: `${number}.txt` }, mediaType: "text/plain" },
        hash: createHash("sha256").update(`${number}`).digest("hex"),
      },
    }),
  },
  { name: "sessions", inFlight: 16, request: () => ({ method: "POST", path: "/sessions", body: {} }) },
  { name: "edits", inFlight: 4, request: () => call("file_edit", { path: "long.txt", oldText: absent, newText: "x" }) },
  { name: "patches", inFlight: 4, request: () => call("file_patch", { patch: anchors }) },
  {
    name: "patterns",
    inFlight: 4,
    request: () => ({
      method: "PUT",
      path: "/tenant-tools/flood_pattern",
      body: { description: "A tool whose pattern repeats inside a repetition.", input: deep },
    }),
  },
  {
    name: "multipart",
    inFlight: 4,
    request: () => ({ method: "POST", path: "/tools/file_list/call", body: emptyParts, type: `multipart/form-data; boundary=${boundary}` }),
  },
  {
    name: "large-json",
    inFlight: 4,
    request: () => call("file_list", Object.fromEntries(Array.from({ length: 100_000 }, (_, member) => [`member ${member}`, member]))),
  },
];
