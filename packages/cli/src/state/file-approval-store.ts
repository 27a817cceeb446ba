import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type Actor,
  type ApprovalAnswer,
  type ApprovalRecord,
  type ApprovalStore,
  passesFilter,
  type StoredApproval,
  settleApproval,
  systemClock,
  ToolwrightError,
} from "@toolwright/engine";
import { placeOnce } from "./place-once.ts";
import { type KeepOptions, type Prunable, Pruner } from "./prune-entries.ts";
import { namesIn, readJson } from "./read-json.ts";
import { isStoredId, pathPart } from "./state-folder.ts";

export interface FileApprovalOptions extends KeepOptions {
  /** Hears once, of all processes, of each approval that nobody answered in time. */
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/**
 * Approvals as files, shared by every process on the machine: `<folder>/<tenant>/<id>/record.json`, `answer.json`, `claim.json`, and
 * `expired.json` where nobody answered in time. What is over is kept for a while and then removed. Each is placed once and never changed, so there is nothing to lock and nothing half written after a kill. Where several people have to
 * say yes there is an `answer-<person>.json` for each of them.
 */
export function createFileApprovalStore(folder: string, options: FileApprovalOptions = {}): ApprovalStore & Prunable {
  const pruner = new Pruner(folder, { main: "record.json", own: ownName, endOf: (place) => endApproval(place, options) }, options);
  const placeOf = (tenant: string, id: string) => join(folder, pathPart(tenant), id);
  const read = (tenant: string, id: string) => (isStoredId(id) ? readApproval(placeOf(tenant, id)) : Promise.resolve(undefined));
  return {
    async create(record) {
      const { id, principal } = record;
      const created = isStoredId(id) && (await placeOnce(join(placeOf(principal.tenant, id), "record.json"), JSON.stringify(record)));
      if (!created) throw new ToolwrightError("internal", `The approval "${id}" could not be stored: its id is taken or not a plain name.`);
      await pruner.pruneLazily();
    },
    get: read,
    async list(tenant, filter = {}) {
      const names = await namesIn(join(folder, pathPart(tenant)));
      const stored = await Promise.all(names.map((id) => read(tenant, id)));
      return stored
        .filter((approval) => approval !== undefined)
        .filter((approval) => passesFilter(approval, filter))
        .sort((a, b) => a.record.createdAt - b.record.createdAt || (a.record.id < b.record.id ? -1 : 1));
    },
    async answer(tenant, id, answer) {
      const stored = await read(tenant, id);
      if (!stored || stored.answer) return false;
      const name = stored.record.quorum ? nameOfAnswer(answer.by) : "answer.json";
      return placeOnce(join(placeOf(tenant, id), name), JSON.stringify(answer));
    },
    async claim(tenant, id, at) {
      if (!(await read(tenant, id))) return false;
      return placeOnce(join(placeOf(tenant, id), "claim.json"), JSON.stringify({ at }));
    },
    prune: () => pruner.prune(),
  };
}

const ownName = /^(?:record|answer|answer-[0-9a-f]{64}|claim|expired)\.json(?:\.[0-9a-f]{16}\.draft)?$/;

/** When it is over: with its time, used or not. One that nobody answered until then is put on record before it ever goes. */
async function endApproval(place: string, { clock = systemClock, onExpired }: FileApprovalOptions): Promise<number | undefined> {
  const stored = await readApproval(place);
  if (!stored) return undefined;
  const { record, answer, claimedAt, expiredAt } = stored;
  const isForgotten = answer === undefined && claimedAt === undefined && expiredAt === undefined && record.expiresAt <= clock.now();
  if (isForgotten && (await placeOnce(join(place, "expired.json"), JSON.stringify({ at: record.expiresAt })))) onExpired?.(record);
  return record.expiresAt;
}

const nameOfAnswer = ({ kind, id }: Actor) =>
  `answer-${createHash("sha256")
    .update(JSON.stringify([kind, id]))
    .digest("hex")}.json`;

async function readApproval(place: string): Promise<StoredApproval | undefined> {
  const record = await readJson<ApprovalRecord>(join(place, "record.json"));
  if (!record) return undefined;
  const names = record.quorum ? (await namesIn(place)).filter((name) => /^answer-[0-9a-f]{64}\.json$/.test(name)) : ["answer.json"];
  const answers = await Promise.all(names.map((name) => readJson<ApprovalAnswer>(join(place, name))));
  const claim = await readJson<{ readonly at: number }>(join(place, "claim.json"));
  const expired = await readJson<{ readonly at: number }>(join(place, "expired.json"));
  const inOrder = answers.filter((answer) => answer !== undefined).sort((a, b) => a.at - b.at);
  return { record, ...settleApproval(record, inOrder), ...(claim && { claimedAt: claim.at }), ...(expired && { expiredAt: expired.at }) };
}
