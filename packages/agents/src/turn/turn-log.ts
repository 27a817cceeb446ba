import { declareEvents, type Logger, type Principal, type SessionEvent } from "@toolwright/engine";
import type { Clock, EventLog, TurnRecord } from "@toolwright/engine/ports";

const facts = ["message", "step", "waiting", "resumed", "model_waited", "compacted", "limited", "ended"] as const;
declareEvents("agent", facts);

export interface TurnLogParts {
  /** Takes what happens in turns, each in the session of its conversation. */
  readonly events: Pick<EventLog, "append">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What happened, and by whom. Texts are in the messages of the conversation: `data` holds digests of them. */
export interface TurnFact {
  readonly fact: (typeof facts)[number];
  readonly by: Principal;
  readonly data: SessionEvent["data"];
}

/** Nobody waits for it: the turn itself is the record that must not be lost. */
export function noteTurn(
  { id, tenant, conversation }: Pick<TurnRecord, "id" | "tenant" | "conversation">,
  { fact, by, data }: TurnFact,
  { events, clock, logger }: TurnLogParts,
): void {
  const { actor, agent, door, source } = by;
  const event: SessionEvent = {
    ...{ type: `agent.${fact}`, at: clock.now(), session: conversation, tenant, actor, agent, door, source },
    data: { turn: id, ...data },
  };
  events.append([event], { mayWait: true }).catch((error: unknown) => {
    logger.log("error", "An event could not be written.", { type: event.type, turn: id, error: String(error) });
  });
}
