import type { CallResult, InvokeOptions, JsonObject, PendingResult, Scope } from "@toolwright/engine";
import type { Io } from "../../io.ts";
import { askPerson } from "../../output/ask-person.ts";
import { tellGrant } from "../approvals/remember.ts";
import type { Person } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";

export interface CallHere {
  readonly scope: Scope;
  readonly operate: Operate;
}

export interface WantedCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly canAsk: boolean;
  /** Hears of the call while it runs. */
  readonly follow: InvokeOptions;
}

/** With a person at the terminal the question is asked here and now; otherwise the call stays pending until it is made again. */
export async function callAndAsk(io: Io, { scope, operate }: CallHere, { name, input, canAsk, follow }: WantedCall): Promise<CallResult> {
  let result = await scope.invokeNamed(name, input, { ...follow, takeUpWaiting: true });
  // A call that makes calls may wait for one approval after the other.
  for (let asked = ""; canAsk && result.status === "pending" && result.approval.id !== asked; ) {
    asked = result.approval.id;
    if (!(await answerHere(io, { operate, tenant: scope.principal.tenant }, result))) return result;
    const { idempotencyKey: _, ...again } = follow;
    result = await scope.resume(asked, again);
  }
  return result;
}

/** True when the person answered, yes or no. */
async function answerHere(io: Io, person: Pick<Person, "operate" | "tenant">, { approval: { id } }: PendingResult): Promise<boolean> {
  const { operate } = person;
  const { record } = await operate("approvals.get", { id });
  const outcome = await askPerson(io, record, await operate("approvals.propose", { id }));
  if (!outcome) return false;
  await operate("approvals.answer", { id, outcome });
  if (outcome.kind === "approve" && outcome.remember) await tellGrant(io, person, id);
  return true;
}
