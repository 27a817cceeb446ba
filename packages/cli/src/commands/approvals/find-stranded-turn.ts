import { pause } from "@toolwright/engine/ports";
import type { Person } from "../context/as-person.ts";

/** A turn of an agent that may go on, and that no process goes on with. */
export interface StrandedTurn {
  readonly id: string;
  readonly agent: string;
}

/** Milliseconds in which a process that is there takes up a turn. */
const takeUpMs = 3_000;

/** The turn that waited for this approval and for no other one, where it still waits. Resolves when somebody has taken it up, or nobody did. */
export async function findStrandedTurn({ here }: Pick<Person, "here">, approval: string): Promise<StrandedTurn | undefined> {
  if (!here) return undefined;
  const { turns, clock } = here.toolwright.store;
  const { tenant } = here.scope.principal;
  const waiting = await turns.list(tenant, { states: ["waiting"], limit: 500 });
  const turn = waiting.find(({ waitsFor }) => waitsFor.includes(approval));
  if (!turn) return undefined;
  const open = await here.scope.approvals();
  if (open.some(({ record }) => turn.waitsFor.includes(record.id))) return undefined;
  const isWaiting = async () => (await turns.get(turn))?.state === "waiting";
  const taken = new AbortController();
  const look = async () => (await isWaiting()) || taken.abort();
  const stop = turns.follow(tenant, () => void look().catch(() => undefined));
  await pause(takeUpMs, clock, taken.signal);
  stop();
  return (await isWaiting()) ? { id: turn.id, agent: turn.agent } : undefined;
}
