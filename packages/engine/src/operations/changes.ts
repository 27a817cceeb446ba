import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import type { StoredEvent } from "../contract/events.ts";
import { READ_LOG } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { logPort } from "../ports/session-reader.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { fromReady } from "./from-ready.ts";
import { time } from "./json-parts.ts";

/** That something changed. What it is, the operations tell that list it. */
export interface Change {
  /** Type of the event that was written; `watch.ready` comes first: what changes from now on is told. */
  readonly type: string;
  readonly at: number;
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
  /** The operation that changed it, for `admin` events. */
  readonly operation?: string | undefined;
}

const change = z.object({
  type: z.string().describe("Type of the event, such as tool.completed; watch.ready is the first"),
  at: time("When it happened"),
  callId: z.string().optional(),
  tool: z.string().optional(),
  operation: z.string().optional().describe("What changed it, for admin events"),
});

const watchChanges = defineOperation({
  name: "changes.watch",
  at: "GET /changes",
  follows: "now",
  title: "Watch for changes",
  description:
    "Tells that something changed in the tenant, as a stream: events without their data. Everybody hears of what they do, and that approvals come and go; of what others do, with the permission log:read.",
  effect: "read",
  needs: [logPort],
  input: z.object({}),
  output: z.object({ items: z.array(change) }),
  async run() {
    throw new ToolwrightError("operation_unavailable", "changes.watch is a stream. Ask for text/event-stream.");
  },
  async follow(_, { principal, parts, ports, signal }) {
    const events = await fromReady((onReady) => ports.log.follow({ tenant: principal.tenant, onReady }, signal));
    return tellChanges(principal, events, { type: "watch.ready", at: parts.clock.now() });
  },
});

async function* tellChanges(principal: Principal, events: AsyncIterable<StoredEvent>, ready: Change): AsyncGenerator<Change> {
  yield ready;
  for await (const stored of events) {
    const told = tell(stored, principal);
    if (told) yield told;
  }
}

const ofApprovals: ReadonlySet<string> = new Set(["tool.needs_approval", "tool.approved", "tool.denied"]);

function tell({ event }: StoredEvent, { actor, permissions, delegated }: Principal): Change | undefined {
  const { type, at, callId, tool, data } = event;
  // Written many times a second while a tool runs; whoever reads a call's output follows that call.
  if (type === "tool.output_appended") return undefined;
  const isOwn = event.actor.kind === actor.kind && event.actor.id === actor.id;
  if (isOwn || (delegated === undefined && permissions.includes(READ_LOG))) {
    const { operation } = data;
    return {
      type,
      at,
      ...(callId !== undefined && { callId }),
      ...(tool !== undefined && { tool }),
      ...(typeof operation === "string" && { operation }),
    };
  }
  return ofApprovals.has(type) ? { type, at } : undefined;
}

export const changesSubject = defineSubject({
  name: "changes",
  operations: [watchChanges],
});
