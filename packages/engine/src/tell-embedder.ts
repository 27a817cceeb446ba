import type { SessionEvent } from "./contract/events.ts";
import type { ApprovalRecord, ApprovalStore } from "./ports/approval-store.ts";
import type { EventLog } from "./ports/event-log.ts";
import type { Logger } from "./ports/logger.ts";

/** Wraps an event log: calls `onEvent` with each event once the log holds it. An error that it throws is logged, and the call goes on. */
export function tellEvents(log: EventLog, onEvent: (event: SessionEvent) => unknown, logger: Logger): EventLog {
  return {
    ...(log.keys && { keys: log.keys }),
    read: (query) => log.read(query),
    async append(events, options) {
      await log.append(events, options);
      for (const event of events) tell(() => onEvent(event), "onEvent", logger);
    },
  };
}

/** Wraps an approval store: calls `onApproval` for each call that waits for a person, once the store holds the record. */
export function tellApprovals(store: ApprovalStore, onApproval: (approval: ApprovalRecord) => unknown, logger: Logger): ApprovalStore {
  return {
    get: (tenant, id) => store.get(tenant, id),
    list: (tenant, filter) => store.list(tenant, filter),
    answer: (tenant, id, answer) => store.answer(tenant, id, answer),
    claim: (tenant, id, at) => store.claim(tenant, id, at),
    async create(record) {
      await store.create(record);
      tell(() => onApproval(record), "onApproval", logger);
    },
  };
}

async function tell(listener: () => unknown, name: string, logger: Logger): Promise<void> {
  try {
    await listener();
  } catch (error) {
    logger.log("error", `The listener ${name} of createEngine failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
