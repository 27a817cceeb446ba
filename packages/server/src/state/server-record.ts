import { hash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../settings.ts";
import { makeFolder } from "./make-folder.ts";
import { writeWhole } from "./write-whole.ts";

/** A server that serves over HTTP and keeps its state in this folder; of several, the one that started last. */
export interface ServerRecord {
  /** URL of MCP, as clients reach it. */
  readonly url: string;
  /** URL of the server on this machine, where a proxy stands in between. */
  readonly listens: string;
  readonly workspace: string;
  readonly process: number;
  /** The unix socket on which it answers the commands of this user; undefined where none could be made. */
  readonly socket?: string | undefined;
  /** Version of its program. */
  readonly version: string;
  /** Which settings it began with. */
  readonly marks: SettingsMarks;
}

/** The tenant of a machine that serves one. */
export const localTenant = "default";

/** Headers between a command and the server of this machine. */
export const localHeaders = {
  /** Header with the tenant of the command. */
  tenant: "toolwright-tenant",
  /** `no`: nobody can be asked where it was typed. */
  interactive: "toolwright-interactive",
  /** Header of an answer with the tools that were left out: a JSON list of sentences, encoded as a component of a URI. */
  leftOut: "toolwright-left-out",
} as const;

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
    const read = JSON.parse(readFileSync(fileOf(state), "utf8")) as Partial<ServerRecord> | null;
    return isRecord(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(read: Partial<ServerRecord> | null): read is ServerRecord {
  if (read === null || typeof read !== "object") return false;
  const { url, listens, workspace, process, socket, version, marks } = read;
  const texts = [workspace, version, marks?.store, marks?.places, ...(socket === undefined ? [] : [socket])];
  return (
    [url, listens].every((each) => URL.canParse(each ?? "")) && texts.every((each) => typeof each === "string") && Number.isInteger(process)
  );
}

/** Hashes of settings, which tell whether a command would meet what the server has. */
interface SettingsMarks {
  /** The database. */
  readonly store: string;
  /** The workspace, the tools, the policy, and what the operator sets up for models and searches. */
  readonly places: string;
}

export function markSettings({ databaseUrl, ...places }: Settings): SettingsMarks {
  const { workspace, tenantWorkspaces, workspacePer, tools, toolsNamed, policyFile, model, search } = places;
  const mark = (...parts: unknown[]) =>
    hash(
      "sha256",
      JSON.stringify(parts, (_, value) => (value instanceof Map ? [...value] : value)),
    );
  return {
    store: mark(databaseUrl),
    places: mark(workspace, tenantWorkspaces, workspacePer, tools, toolsNamed, policyFile, model, search),
  };
}

/** An address to connect to: one that stands for all addresses of a machine is none everywhere. */
export function reachable(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "[::]" ? "[::1]" : hostname;
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
}
