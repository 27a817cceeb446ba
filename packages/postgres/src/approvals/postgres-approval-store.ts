import type { ApprovalRecord, StoredApproval } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import { type ApprovalAnswer, type ApprovalFilter, type ApprovalStore, isSameActor, settleApproval } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { isStorable } from "../database/storable-text.ts";

interface PostgresApprovalOptions {
  /** Name of this process: what it claimed and did not run is found by it when it is gone. */
  readonly process?: string;
}

/** Approvals in PostgreSQL. Every change is announced under the topic `approvals`. */
export function createPostgresApprovalStore(database: Database, { process }: PostgresApprovalOptions = {}): ApprovalStore {
  const announce = (tenant: string, id: string) => database.announce({ topic: "approvals", tenant, id });
  const change = async (tenant: string, id: string, work: (query: Query) => Promise<boolean>): Promise<boolean> => {
    const changed = isStorable(id) && (await database.asTenant(tenant, work));
    if (changed) announce(tenant, id);
    return changed;
  };
  return {
    async create(record) {
      const { id, principal } = record;
      if (!(await change(principal.tenant, id, (query) => insertApproval(query, record))))
        throw new ToolwrightError("internal", `The approval "${id}" could not be stored: its id is taken or not a plain name.`);
    },
    get: async (tenant, id) => (isStorable(id) ? database.asTenant(tenant, (query) => findApproval(query, tenant, id)) : undefined),
    list: (tenant, filter = {}) => database.asTenant(tenant, (query) => listApprovals(query, tenant, filter)),
    answer: (tenant, id, answer) => change(tenant, id, (query) => addAnswer(query, { tenant, id }, answer)),
    claim: (tenant, id, at) =>
      change(tenant, id, async (query) => {
        const { numUpdatedRows } = await query
          .updateTable("toolwright.approvals")
          .set({ claimed_at: new Date(at), claimed_by: process ?? null })
          .where("tenant", "=", tenant)
          .where("approval", "=", id)
          .where("claimed_at", "is", null)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
  };
}

async function insertApproval(query: Query, record: ApprovalRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await query
    .insertInto("toolwright.approvals")
    .values({
      tenant: record.principal.tenant,
      approval: record.id,
      call_id: record.callId,
      record: JSON.stringify(record),
      created_at: new Date(record.createdAt),
      expires_at: new Date(record.expiresAt),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (inserted ?? 0n) > 0n;
}

interface ApprovalRow {
  readonly record: ApprovalRecord;
  readonly answers: readonly ApprovalAnswer[];
  readonly claimed_at: Date | null;
  readonly expired_at: Date | null;
}

const columns = ["record", "answers", "claimed_at", "expired_at"] as const;

function toApproval({ record, answers, claimed_at: claimed, expired_at: expired }: ApprovalRow): StoredApproval {
  return {
    record,
    ...settleApproval(record, answers),
    ...(claimed && { claimedAt: claimed.getTime() }),
    ...(expired && { expiredAt: expired.getTime() }),
  };
}

async function findApproval(query: Query, tenant: string, id: string): Promise<StoredApproval | undefined> {
  const row = await query
    .selectFrom("toolwright.approvals")
    .select(columns)
    .where("tenant", "=", tenant)
    .where("approval", "=", id)
    .executeTakeFirst();
  return row && toApproval(row);
}

async function listApprovals(query: Query, tenant: string, { openAt, usableAt }: ApprovalFilter): Promise<readonly StoredApproval[]> {
  let wanted = query.selectFrom("toolwright.approvals").select(columns).where("tenant", "=", tenant);
  if (openAt !== undefined) wanted = wanted.where("settled_at", "is", null).where("expires_at", ">", new Date(openAt));
  if (usableAt !== undefined) wanted = wanted.where("claimed_at", "is", null).where("expires_at", ">", new Date(usableAt));
  const rows = await wanted.orderBy("created_at").orderBy("approval").execute();
  return rows.map(toApproval);
}

/** The row is locked from the look to the change, so that no two answers count where one should. */
async function addAnswer(query: Query, { tenant, id }: { tenant: string; id: string }, answer: ApprovalAnswer): Promise<boolean> {
  const row = await query
    .selectFrom("toolwright.approvals")
    .select(["record", "answers", "settled_at"])
    .where("tenant", "=", tenant)
    .where("approval", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!row || row.settled_at || row.answers.some(({ by }) => isSameActor(by, answer.by))) return false;
  const answers = [...row.answers, answer];
  await query
    .updateTable("toolwright.approvals")
    .set({ answers: JSON.stringify(answers), ...(settleApproval(row.record, answers).answer && { settled_at: new Date(answer.at) }) })
    .where("tenant", "=", tenant)
    .where("approval", "=", id)
    .execute();
  return true;
}
