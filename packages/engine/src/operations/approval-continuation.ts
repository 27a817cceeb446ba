import { z } from "zod";
import type { ApprovalRecord, StoredApproval } from "../ports/approval-store.ts";
import { pause } from "../ports/clock.ts";
import type { TurnRecord, turnsPort } from "../ports/turns.ts";
import type { OperationContext } from "./define-operation.ts";
import { visibleTurns } from "./turns.ts";

/** Milliseconds in which a process that is there takes up a turn. */
const takeUpMs = 3_000;

const turnName = z.object({ id: z.string(), agent: z.string() });

/** What goes on by an approval. */
export const continuation = {
  runs: z
    .enum(["turn", "process", "caller", "caller_with_files"])
    .optional()
    .describe(
      "How the call runs once it is approved: in the turn of an agent; by a server or worker, as part of the call that made it; when its caller makes the same call again; or when that brings the same files. Absent where it ran, or will not",
    ),
  turn: turnName.optional().describe("The open turn that goes on once all that it waits for is answered"),
};

export const strandedTurn = turnName.optional().describe("That turn, where it could go on and no process does so");

/** What goes on by an approval, as operations tell it. */
export interface Continuation {
  readonly runs?: "turn" | "process" | "caller" | "caller_with_files";
  readonly turn?: Pick<TurnRecord, "id" | "agent">;
}

type Context = OperationContext<never, typeof turnsPort>;

/** The open turn that the call of an approval belongs to, as far as the principal may see it. */
export async function findTurn({ id, session, principal: asker }: ApprovalRecord, context: Context): Promise<TurnRecord | undefined> {
  const { turns } = context.ports;
  if (!turns) return undefined;
  const open = await visibleTurns({ states: ["running", "waiting"], limit: 500 }, { ...context, ports: { turns } });
  // One that runs other calls yet waits only after them.
  const runsIt = ({ state, conversation }: TurnRecord) => state === "running" && conversation === session && asker.delegated !== undefined;
  return open.find(({ waitsFor }) => waitsFor.includes(id)) ?? open.find(runsIt);
}

/** What goes on by the approval, of which the call belongs to that turn. */
export function continuationOf({ record, answer, claimedAt, expiredAt }: StoredApproval, turn: TurnRecord | undefined): Continuation {
  const isRefused = answer !== undefined && answer.outcome.kind !== "approve" && answer.outcome.kind !== "edit";
  const runs = claimedAt === undefined && expiredAt === undefined && !isRefused ? howItRuns(record, turn) : undefined;
  return { ...(runs && { runs }), ...(turn && { turn: nameOf(turn) }) };
}

export const nameOf = ({ id, agent }: TurnRecord): Pick<TurnRecord, "id" | "agent"> => ({ id, agent });

function howItRuns({ place, binding }: ApprovalRecord, turn: TurnRecord | undefined): NonNullable<Continuation["runs"]> {
  if (turn) return "turn";
  if (binding.files !== undefined) return "caller_with_files";
  return place ? "process" : "caller";
}

/** True where nothing is missing to the turn any more, and nobody takes it up in the time that it takes a process that is there. */
export async function isStranded(turn: TurnRecord, { parts, ports: { turns }, signal }: Context): Promise<boolean> {
  if (!turns) return false;
  const isWaiting = async () => {
    const now = await turns.get(turn);
    if (now?.state !== "waiting") return false;
    const open = await parts.approvals.list(turn.tenant, { openAt: parts.clock.now() });
    return !open.some(({ record }) => now.waitsFor.includes(record.id));
  };
  if (!(await isWaiting())) return false;
  const taken = new AbortController();
  const look = async () => (await isWaiting()) || taken.abort();
  const stop = turns.follow(turn.tenant, () => void look().catch(() => undefined));
  await pause(takeUpMs, parts.clock, signal ? AbortSignal.any([taken.signal, signal]) : taken.signal);
  stop();
  return isWaiting();
}
