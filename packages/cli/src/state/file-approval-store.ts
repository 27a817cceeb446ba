import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ApprovalAnswer,
  type ApprovalRecord,
  type ApprovalStore,
  passesFilter,
  type StoredApproval,
  ToolwrightError,
} from "@toolwright/engine";
import { codeOf, placeOnce } from "./place-once.ts";
import { isStoredId, pathPart } from "./state-folder.ts";

/**
 * Approvals as files, shared by every process on the machine: `<folder>/<tenant>/<id>/record.json`, `answer.json`, `claim.json`.
 * Each is placed once and never changed, so there is nothing to lock and nothing half written after a kill.
 */
export function createFileApprovalStore(folder: string): ApprovalStore {
  const folderOf = (tenant: string) => join(folder, pathPart(tenant));
  const read = async (tenant: string, id: string): Promise<StoredApproval | undefined> => {
    if (!isStoredId(id)) return undefined;
    const place = join(folderOf(tenant), id);
    const record = await readJson<ApprovalRecord>(join(place, "record.json"));
    if (!record) return undefined;
    const answer = await readJson<ApprovalAnswer>(join(place, "answer.json"));
    const claim = await readJson<{ readonly at: number }>(join(place, "claim.json"));
    return { record, ...(answer && { answer }), ...(claim && { claimedAt: claim.at }) };
  };
  const place = async (tenant: string, id: string, part: { readonly name: string; readonly content: unknown }): Promise<boolean> => {
    if (!(await read(tenant, id))) return false;
    return placeOnce(join(folderOf(tenant), id, part.name), JSON.stringify(part.content));
  };
  return {
    async create(record) {
      const { id, principal } = record;
      const created = isStoredId(id) && (await placeOnce(join(folderOf(principal.tenant), id, "record.json"), JSON.stringify(record)));
      if (!created) throw new ToolwrightError("internal", `The approval "${id}" could not be stored: its id is taken or not a plain name.`);
    },
    get: read,
    async list(tenant, filter = {}) {
      const stored = await Promise.all((await namesIn(folderOf(tenant))).map((id) => read(tenant, id)));
      return stored
        .filter((approval) => approval !== undefined)
        .filter((approval) => passesFilter(approval, filter))
        .sort((a, b) => a.record.createdAt - b.record.createdAt || (a.record.id < b.record.id ? -1 : 1));
    },
    answer: (tenant, id, answer) => place(tenant, id, { name: "answer.json", content: answer }),
    claim: (tenant, id, at) => place(tenant, id, { name: "claim.json", content: { at } }),
  };
}

async function readJson<Value>(path: string): Promise<Value | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Value;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new ToolwrightError(
      "internal",
      `${path} cannot be read: ${error instanceof Error ? error.message : error}. Remove it to go on without.`,
      { cause: error },
    );
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
