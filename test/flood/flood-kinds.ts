import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePdf } from "../../packages/tools/test/make-pdf.ts";

/** One request of a flood: a path below `/api`, and a body that is sent as JSON unless it is text. */
export interface FloodRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object | string;
  readonly type?: string;
  /** Name of the session that a call is made in. */
  readonly session?: string;
}

export interface FloodKind {
  readonly name: string;
  /** Whose key floods: a viewer's, unless a viewer may not do this. */
  readonly by: "viewer" | "member";
  /** Requests in flight. */
  readonly inFlight: number;
  /** A request of a person who may manage tools, which must succeed before the flood. `page` is as for `request`. */
  readonly prepare?: (page: string) => FloodRequest;
  /** The request of a number, counted from 0. `page` is the address of a page that the flood serves. */
  readonly request: (number: number, page: string) => FloodRequest;
  /** Answers of requests that reached what is flooded: a status, and the code of the error where there is one. */
  readonly reached: readonly string[];
  /** Answers that hold the flood back. Any other answer means that the flood was none. */
  readonly heldBack?: readonly string[];
  /** Requests that must reach it. */
  readonly least: number;
}

const lines = (count: number, of: (line: number) => string) => Array.from({ length: count }, (_, line) => of(line)).join("\n");
const repeated = "words of a line that repeats";

/** The files that floods name, in the folder of a tenant. */
export function writeFloodFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const page = { lines: Array.from({ length: 50 }, (_, line) => `Line ${line} of a page that takes a while to read.`) };
  writeFileSync(join(folder, "heavy.pdf"), makePdf(Array.from({ length: 300 }, () => page)));
  writeFileSync(
    join(folder, "equal.txt"),
    lines(20_000, () => repeated),
  );
}

const call = (tool: string, input: object | string): FloodRequest => ({ method: "POST", path: `/tools/${tool}/call`, body: input });
const busy = ["503 busy"];
const limited = ["429 limit_reached"];

/** Bodies that are made once: a flood is not held up by writing them. */
const edit = JSON.stringify({ path: "equal.txt", oldText: `${lines(10_000, () => repeated)}\nabsent`, newText: "" });
const patchOf = (anchors: number) =>
  JSON.stringify({
    patch: `*** Begin Patch\n*** Update File: equal.txt\n${lines(anchors, () => `@@ ${repeated}`)}\n-${repeated}\n+other words\n*** End Patch\n`,
  });
const patches = [patchOf(200), patchOf(20_000)];
const membersOf = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, member) => [`m${member}`, member])));
const objects = [membersOf(9_900), membersOf(250_000)];
const boundary = "----WebKitFormBoundaryABCDEFGHIJKLMNOP";
const emptyParts = `${`--${boundary}\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\n\r\n`.repeat(150_000)}--${boundary}--\r\n`;
const nested = {
  group: "own",
  description: "A tool whose pattern repeats inside a repetition.",
  inputSchema: { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } }, additionalProperties: false },
  outputSchema: { type: "object" },
};
const nearMatch = JSON.stringify({ text: `${"a".repeat(20_000)}!` });

/** What a person of one tenant does as often as they can: pools first, then inputs whose cost grew faster than they do. */
export const floodKinds: readonly FloodKind[] = [
  {
    ...{ name: "programs", by: "member", inFlight: 32, reached: ["200"], heldBack: busy, least: 16 },
    request: () => call("code_run", { program: "let sum = 0; for (let n = 0; n < 1e6; n++) sum += n; return sum" }),
  },
  {
    ...{ name: "programs-that-wait", by: "member", inFlight: 32, reached: ["200"], heldBack: busy, least: 16 },
    request: () => call("code_run", { program: "for (let n = 0; n < 20; n++) await tools.file_list({ path: '.' }); return 1" }),
  },
  {
    ...{ name: "documents", by: "viewer", inFlight: 16, reached: ["200"], heldBack: busy, least: 4 },
    request: () => call("document_read", { path: "heavy.pdf" }),
  },
  {
    ...{ name: "browsers", by: "viewer", inFlight: 16, reached: ["200"], heldBack: busy, least: 16 },
    // The first page of a process loads what drives browsers, which holds it once.
    prepare: (page) => call("browser_open", { url: page }),
    request: (number, page) => ({ ...call("browser_open", { url: `${page}${number}` }), session: `flood-${number % 16}` }),
  },
  {
    ...{ name: "searches", by: "viewer", inFlight: 32, reached: ["200"], heldBack: busy, least: 16 },
    request: (number) => ({ method: "GET", path: `/search?query=${encodeURIComponent(`read a file number ${number}`)}` }),
  },
  {
    ...{ name: "file-searches", by: "viewer", inFlight: 32, reached: ["200"], heldBack: busy, least: 16 },
    request: (number) => call("file_search", { type: "grep", pattern: `(a|b|c)+ ${number}|line.*that.*repeat`, path: "." }),
  },
  {
    ...{ name: "jobs", by: "member", inFlight: 16, reached: ["201"], heldBack: limited, least: 64 },
    request: () => ({ method: "POST", path: "/jobs", body: { tool: "file_list", input: { path: "." } } }),
  },
  {
    ...{ name: "uploads", by: "member", inFlight: 16, reached: ["201"], heldBack: limited, least: 16 },
    request: (number) => ({
      ...{ method: "POST", path: "/documents" },
      body: {
        ...{ collection: "flood", title: `${number}`, source: { kind: "file", place: `${number}.txt` }, mediaType: "text/plain" },
        hash: createHash("sha256").update(`${number}`).digest("hex"),
      },
    }),
  },
  {
    ...{ name: "sessions", by: "viewer", inFlight: 16, reached: ["201"], heldBack: limited, least: 64 },
    request: () => ({ method: "POST", path: "/sessions", body: {} }),
  },
  {
    ...{ name: "edits", by: "member", inFlight: 4, reached: ["422 text_not_found"], least: 8 },
    request: () => call("file_edit", edit),
  },
  {
    ...{ name: "patches", by: "member", inFlight: 4, reached: ["422 text_not_unique", "422 patch_too_large"], least: 8 },
    request: (number) => call("file_patch", patches[number % 2] ?? {}),
  },
  {
    ...{ name: "patterns", by: "viewer", inFlight: 4, reached: ["422 invalid_input"], least: 8 },
    prepare: () => ({ method: "PUT", path: "/tenant-tools/flood_pattern", body: nested }),
    request: () => call("flood_pattern", nearMatch),
  },
  {
    ...{ name: "multipart", by: "viewer", inFlight: 4, reached: ["413 request_too_large"], least: 8 },
    request: () => ({ method: "POST", path: "/tools/file_list/call", body: emptyParts, type: `multipart/form-data; boundary=${boundary}` }),
  },
  {
    ...{ name: "large-json", by: "viewer", inFlight: 4, reached: ["422 invalid_input", "400 request_malformed"], least: 8 },
    request: (number) => call("file_list", objects[number % 2] ?? {}),
  },
];
