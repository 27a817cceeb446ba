import { z } from "zod";
import type { EventType, StoredEvent } from "../contract/events.ts";
import { READ_LOG } from "../contract/permissions.ts";
import { personOf, unknownSession } from "../gate/guard-call.ts";
import type { SessionHead, SessionReport } from "../ports/session-reader.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { actor, anyObject, limitUpTo, time } from "./json-parts.ts";
import { isCaller } from "./runs.ts";

const storedEvent: z.ZodType<StoredEvent> = z.object({
  event: z.object({
    type: z.string() as unknown as z.ZodType<StoredEvent["event"]["type"]>,
    at: time("When it happened"),
    session: z.string(),
    tenant: z.string(),
    actor,
    agent: z.string().optional(),
    door: z.string(),
    source: z.enum(["web", "agent", "api", "cli", "mcp", "schedule"]).optional(),
    callId: z.string().optional(),
    tool: z.string().optional(),
    data: anyObject<StoredEvent["event"]["data"]>("By type; secrets are taken out"),
  }),
  sequence: z.int().describe("1-based, without a gap in its session"),
  previous: z.string().describe("Hash of the event before it, or empty"),
  hash: z.string().describe("Covers the event and `previous`"),
});

const usual = 100;

/** Events of one session, in order. */
export interface EventList {
  readonly items: readonly StoredEvent[];
  /** What to give as `after` for those that follow; absent when none do now. */
  readonly next?: number | undefined;
}

export const listEvents = defineOperation({
  name: "events.list",
  title: "List events",
  description: "Lists events of a session, in order. Needs a session or a call of one's own, or the permission log:read.",
  effect: "read",
  needs: ["log"],
  input: z.object({
    session: z.string().min(1),
    after: z.int().min(0).optional().describe("The sequence after which to begin; default 0, and for a stream what comes from now on"),
    call: z.string().min(1).optional().describe("Only those of this call; a stream of them begins and ends with it"),
    output: z.boolean().optional().describe("False leaves out what calls put out while they ran; a stream has it"),
    limit: limitUpTo(1000, usual),
  }),
  output: z.object({
    items: z.array(storedEvent),
    next: z.int().optional().describe("What to give as `after` for those that follow; absent when none do now"),
  }) as z.ZodType<EventList>,
  async run({ session, after, call, output, limit = usual }, context) {
    const { principal, ports } = context;
    await requireReader({ session, call }, context);
    const items = await ports.log.page({ tenant: principal.tenant, session, ...(after !== undefined && { after }), call, output, limit });
    return { items, next: items.length === limit ? items.at(-1)?.sequence : undefined };
  },
  async follow({ session, after, call }, context) {
    const { principal, ports, signal } = context;
    const first = await requireReader({ session, call }, context);
    const { tenant } = principal;
    if (call === undefined) return ports.log.follow({ tenant, session, after }, signal);
    const from = after ?? (first ? first.sequence - 1 : 0);
    return eventsOf(call, ports.log.follow({ tenant, session, after: from }, signal));
  },
});

const head: z.ZodType<SessionHead> = z.object({
  tenant: z.string(),
  session: z.string(),
  sequence: z.int().describe("Of the last event"),
  hash: z.string(),
  lastAt: time("When the last event happened"),
  writtenAt: time("When it was written, by the clock of the store"),
  removed: z
    .object({ through: z.int(), hash: z.string(), at: z.number() })
    .optional()
    .describe("What retention took from its beginning") as unknown as z.ZodType<NonNullable<SessionHead["removed"]>>,
}) as unknown as z.ZodType<SessionHead>;

export const listHeads = defineOperation({
  name: "events.heads",
  title: "List where logs stand",
  description: "Lists the sessions of the tenant by their last event, newest first. Needs the permission log:read.",
  permission: READ_LOG,
  effect: "read",
  needs: ["log"],
  input: z.object({
    session: z.string().min(1).optional().describe("Only this one"),
    since: time("Sessions whose last event happened then or later").optional(),
    limit: limitUpTo(10_000, usual),
  }),
  output: z.object({ items: z.array(head), more: z.int().describe("How many there are beyond the limit") }),
  async run({ session, since = 0, limit = usual }, { principal: { tenant }, ports }) {
    const heads: SessionHead[] = [];
    for await (const each of ports.log.list({ tenant, session })) if (each.lastAt >= since) heads.push(each);
    const items = heads.sort((a, b) => b.lastAt - a.lastAt).slice(0, limit);
    return { items, more: heads.length - items.length };
  },
});

const report: z.ZodType<SessionReport> = z.object({
  tenant: z.string(),
  session: z.string(),
  events: z.int().describe("Events that were looked at"),
  faults: z.array(anyObject<SessionReport["faults"][number]>("What is wrong, and where")),
  removed: z.object({ through: z.int(), at: z.number() }).optional().describe("What retention took from its beginning"),
});

export const verifyEvents = defineOperation({
  name: "events.verify",
  title: "Verify a log",
  description: "Checks the chain of a session's events from its beginning. Needs a session of one's own, or the permission log:read.",
  effect: "read",
  needs: ["log"],
  input: z.object({ session: z.string().min(1) }),
  output: report,
  async run({ session }, context) {
    await requireReader({ session }, context);
    const { principal, ports } = context;
    for await (const found of ports.log.verify({ tenant: principal.tenant, session })) return found;
    throw unknownSession(session);
  },
});

const endings: ReadonlySet<string> = new Set<EventType>(["tool.completed", "tool.failed", "tool.cancelled", "tool.denied"]);

async function* eventsOf(call: string, events: AsyncIterable<StoredEvent>): AsyncGenerator<StoredEvent> {
  for await (const stored of events) {
    if (stored.event.callId !== call) continue;
    yield stored;
    if (endings.has(stored.event.type)) return;
  }
}

interface WantedEvents {
  readonly session: string;
  readonly call?: string | undefined;
}

/**
 * Lets in who made the call, whose session it is, whose agent works in it, and who may read the log; gives the first event of the call. Names of
 * sessions without an owner can be guessed.
 */
async function requireReader(
  { session, call }: WantedEvents,
  { principal, parts: { sessions }, ports: { log } }: OperationContext<"log">,
): Promise<StoredEvent | undefined> {
  const { tenant, permissions, delegated, agent, actor: who } = principal;
  const [first] = call === undefined ? [] : await log.page({ tenant, session, call, limit: 1 });
  if (delegated === undefined && permissions.includes(READ_LOG)) return first;
  if (first && isCaller(principal, { caller: first.event.actor, agent: first.event.agent ?? null })) return first;
  const found = await sessions.find({ tenant, id: session });
  const person = personOf(principal);
  const isOwn = found?.owner !== undefined && found.owner === person;
  const isItsAgent = found?.agent !== undefined && person === undefined && (found.agent === agent || found.agent === who.id);
  if (!isOwn && !isItsAgent) throw unknownSession(session);
  return first;
}
