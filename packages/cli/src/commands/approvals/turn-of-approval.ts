import type { StoredApproval } from "@toolwright/engine";
import type { OperationTypes } from "@toolwright/engine/operations";
import { pause } from "@toolwright/engine/ports";
import type { Person } from "../context/as-person.ts";

export type OpenTurn = OperationTypes["turns.get"]["output"];

/** Milliseconds in which a process that is there takes up a turn. */
const takeUpMs = 3_000;

/** The turn that goes on by itself once the approval is answered, as far as the person may see it. */
export async function findTurn({ operate }: Person, { record }: StoredApproval): Promise<OpenTurn | undefined> {
  const listed = await operate("turns.list", { states: ["running", "waiting"], limit: 500 }).catch(() => undefined);
  const open = listed?.items ?? [];
  // One that runs other calls yet waits only after them.
  const runsIt = ({ state, conversation }: OpenTurn) =>
    state === "running" && conversation === record.session && record.principal.delegated !== undefined;
  return open.find(({ waitsFor }) => waitsFor.includes(record.id)) ?? open.find(runsIt);
}

/** True where nothing is missing to the turn any more, and nobody takes it up in the time that it takes a process that is there. */
export async function isStranded(turn: OpenTurn, { here }: Person): Promise<boolean> {
  if (!here) return false;
  const { turns, clock } = here.toolwright.store;
  const open = await here.scope.approvals();
  const isWaiting = async () => {
    const now = await turns.get(turn);
    return now?.state === "waiting" && !open.some(({ record }) => now.waitsFor.includes(record.id));
  };
  if (!(await isWaiting())) return false;
  const taken = new AbortController();
  const look = async () => (await isWaiting()) || taken.abort();
  const stop = turns.follow(turn.tenant, () => void look().catch(() => undefined));
  await pause(takeUpMs, clock, taken.signal);
  stop();
  return isWaiting();
}
