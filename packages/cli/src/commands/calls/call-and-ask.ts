import type { CallResult, InvokeOptions, JsonObject, PendingResult, Scope } from "@toolwright/engine";
import type { Io } from "../../io.ts";
import type { Operate } from "../context/operate.ts";

/** Makes one call, in this process or on a server. */
export interface Calls {
  call(options: InvokeOptions): Promise<CallResult>;
  /** Goes on with it once an approval is answered. */
  resume(approvalId: string, options: InvokeOptions): Promise<CallResult>;
}

export const callsHere = (scope: Scope, name: string, input: JsonObject): Calls => ({
  call: (options) => scope.invokeNamed(name, input, { ...options, takeUpWaiting: true }),
  resume: (id, options) => scope.resume(id, options),
});

interface CallPlace {
  readonly calls: Calls;
  readonly operate: Operate;
  /** As a command that is suggested names it. */
  readonly tenant: string | undefined;
}

/** How a call is made. */
export interface Wish {
  readonly canAsk: boolean;
  /** Hears of the call while it runs. */
  readonly follow: InvokeOptions;
}

/** With a person at the terminal the question is asked here and now; otherwise the call stays pending until it is made again. */
export async function callAndAsk(io: Io, { calls, ...person }: CallPlace, { canAsk, follow }: Wish): Promise<CallResult> {
  let result = await calls.call(follow);
  // A call that makes calls may wait for one approval after the other.
  for (let asked = ""; canAsk && result.status === "pending" && result.approval.id !== asked; ) {
    asked = result.approval.id;
    if (!(await answerHere(io, person, result))) return result;
    const { idempotencyKey: _, ...again } = follow;
    result = await calls.resume(asked, again);
  }
  return result;
}

/** True when the person answered, yes or no. */
async function answerHere(io: Io, person: Omit<CallPlace, "calls">, { approval: { id } }: PendingResult): Promise<boolean> {
  const { operate } = person;
  const [{ askPerson }, { tellGrant }] = await Promise.all([import("../../output/ask-person.ts"), import("../approvals/remember.ts")]);
  const { record } = await operate("approvals.get", { id });
  const outcome = await askPerson(io, record, await operate("approvals.propose", { id }));
  if (!outcome) return false;
  await operate("approvals.answer", { id, outcome });
  if (outcome.kind === "approve" && outcome.remember) await tellGrant(io, person, id);
  return true;
}
