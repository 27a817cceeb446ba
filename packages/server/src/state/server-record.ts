import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "./make-folder.ts";
import { writeWhole } from "./write-whole.ts";

const schema = z.object({
  /** Of MCP, as clients reach it. */
  url: z.url(),
  /** Of the same server on this machine, where a proxy stands in between. */
  listens: z.url(),
  workspace: z.string(),
  process: z.int(),
});

/** A server that serves over HTTP and keeps its state in this folder; of several, the one that started last. */
export type ServerRecord = z.infer<typeof schema>;

const fileOf = (state: string) => join(state, "server.json");

/** Leaves word of a server, for the commands beside it. The result takes that back. A folder that takes no file keeps no server from starting. */
export function recordServer(state: string, record: ServerRecord): () => void {
  try {
    makeFolder(state, 0o700);
    writeWhole(fileOf(state), `${JSON.stringify(record)}\n`, 0o600);
  } catch {
    return () => {};
  }
  return () => {
    if (readServerRecord(state)?.process === record.process) rmSync(fileOf(state), { force: true });
  };
}

/** What was written last; its server may have been killed since. */
export function readServerRecord(state: string): ServerRecord | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(fileOf(state), "utf8")));
  } catch {
    return undefined;
  }
}

/** An address to connect to: one that stands for all addresses of a machine is none everywhere. */
export function reachable(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "[::]" ? "[::1]" : hostname;
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
}
