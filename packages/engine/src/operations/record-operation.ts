import { declareEvents, type SessionEvent } from "../contract/events.ts";
import type { Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import type { GateParts } from "../gate/gate-parts.ts";
import { loggedInput } from "../gate/record-events.ts";
import type { Operation } from "./define-operation.ts";

/** Events of operations that change something. */
export const adminEvents = ["started", "completed", "failed", "denied"] as const;
declareEvents("admin", adminEvents);

export interface OperationSite {
  readonly principal: Principal;
  readonly session: string;
  readonly parts: Pick<GateParts, "clock" | "events">;
}

/** Writes one event of an operation, and waits until the log has it. */
export async function recordOperation(
  { name }: Pick<Operation, "name">,
  [kind, data]: readonly [(typeof adminEvents)[number], SessionEvent["data"]],
  { principal, session, parts }: OperationSite,
): Promise<void> {
  const { tenant, actor, agent, door, source } = principal;
  const at = parts.clock.now();
  await parts.events.append([
    { type: `admin.${kind}`, at, session, tenant, actor, agent, door, source, data: { operation: name, ...data } },
  ]);
}

/** The input as the log keeps it: without secrets, and no more than fits. */
export function loggedInputOf({ secret }: Pick<Operation, "secret">, input: unknown): Json {
  const kept = Object.entries(input as object).map(([member, value]) => [member, secret.includes(member) ? "[secret]" : value] as const);
  return loggedInput(Object.fromEntries(kept));
}
