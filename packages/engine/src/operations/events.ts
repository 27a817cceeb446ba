import { z } from "zod";
import { faultKinds } from "../contract/check-chain.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { type EventType, eventNameForm, type StoredEvent } from "../contract/events.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import { MANAGE_TENANTS, READ_LOG } from "../contract/permissions.ts";
import { findSession, maySeeSession, readsLog, unknownSession } from "../gate/session-access.ts";
import { retentionPort } from "../ports/retention-admin.ts";
import { logPort, type SessionHead } from "../ports/session-reader.ts";
import { tenantNotFound } from "../ports/tenant-store.ts";
import { anyJson } from "../schema/any-json.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { fromReady } from "./from-ready.ts";
import { actor, limitUpTo, time } from "./json-parts.ts";
import { isCaller } from "./runs.ts";
import { eventsView, headsView, prunedView } from "./views/events.ts";

const nameInType = z.string().regex(eventNameForm);

const storedEvent = z.object({
  event: z.object({
    type: z.templateLiteral([nameInType, ".", nameInType]).describe("Family and name, such as `tool.started`"),
    at: time("When it happened"),
    session: z.string(),
    tenant: z.string(),
    actor,
    agent: z.string().optional(),
    door: z.string(),
    source: z.enum(["web", "agent", "api", "cli", "mcp", "schedule"]).optional(),
    callId: z.string().optional(),
    tool: z.string().optional(),
    data: z
      .record(z.string(), anyJson("By type: others may declare types of their own").optional())
      .describe("By type; secrets are taken out"),
  }),
  sequence: z.int().describe("1-based, without a gap in its session"),
  previous: z.string().describe("Hash of the event before it, or empty"),
  hash: z.string().describe("Covers the event and `previous`"),
});

const usual = 100;
const removed = z.object({ through: z.int(), at: z.number() });

/** Events of one session, in order. */
export interface EventList {
  readonly items: readonly StoredEvent[];
  /** What to give as `after` for those that follow; absent when none do now. */
  readonly next?: number | undefined;
  /** What retention took of those that were asked for. */
  readonly removed?: Removed | undefined;
}

interface Removed {
  readonly through: number;
  readonly at: number;
}

const listEvents = defineOperation({
  name: "events.list",
  at: "GET /events",
  follows: "sequence",
  title: "List events",
  description: "Lists events of a session, in order. Needs a session or a call of one's own, or the permission log:read.",
  effect: "read",
  needs: [logPort],
  input: z.object({
    session: z.string().min(1),
    after: z.int().min(0).optional().describe("The sequence after which to begin; default 0, and for a stream what comes from now on"),
    call: z.string().min(1).optional().describe("Only those of this call; a stream of them begins and ends with it"),
    output: z.boolean().optional().describe("False leaves out what calls put out while they ran; a stream has it"),
    mustExist: z.boolean().optional().describe("True: a session that is not in the log is refused, also to who may read the log"),
    limit: limitUpTo(1000, usual),
  }),
  output: z.object({
    items: z.array(storedEvent),
    next: z.int().optional().describe("What to give as `after` for those that follow; absent when none do now"),
    removed: removed.optional().describe("What retention took of those after `after`"),
  }),
  shell: {
    form: "log show <session>",
    about: "Print the events of a session",
    options: { after: { flags: "--after <number>", about: "only those after this one" }, call: false, output: false },
    gives: { mustExist: true },
    allPages: true,
    store: true,
    missing: "See them with: toolwright log sessions{where}",
  },
  view: eventsView,
  async run({ session: wanted, after = 0, call, output, mustExist = false, limit = usual }, context) {
    const { principal, ports } = context;
    const { session } = await requireReader({ session: wanted, call }, context);
    const { tenant } = principal;
    const items = await ports.log.page({ tenant, session, after, call, output, limit });
    const next = items.length === limit ? items.at(-1)?.sequence : undefined;
    if (call !== undefined || items[0]?.sequence === after + 1) return { items, next };
    for await (const head of ports.log.list({ tenant, session })) return { items, next, removed: removedAfter(after, head) };
    if (!mustExist) return { items, next };
    throw new ToolwrightError("session_not_found", `There is no session ${JSON.stringify(wanted)} in the log.`);
  },
  allow: ({ session, call }, context) => requireReader({ session, call }, context),
  async follow({ session: wanted, after, call }, context) {
    const { principal, ports, signal } = context;
    const { session, first } = await requireReader({ session: wanted, call }, context);
    const { tenant } = principal;
    if (call === undefined) return ports.log.follow({ tenant, session, after }, signal);
    const from = after ?? (first ? first.sequence - 1 : 0);
    return eventsOf(call, ports.log.follow({ tenant, session, after: from }, signal));
  },
});

const watchEvents = defineOperation({
  name: "events.watch",
  at: "GET /events/watch",
  follows: "now",
  title: "Watch events",
  description:
    "Tells events as they are written, of all sessions or of one, as a stream. One that is opened again begins anew; a stream of `events.list` goes on where it was. Needs a session of one's own, or the permission log:read.",
  effect: "read",
  needs: [logPort],
  input: z.object({
    session: z
      .string()
      .min(1)
      .optional()
      .describe("Only of this one; without it, of all sessions of the tenant, also those that begin later"),
    after: z.int().min(0).optional().describe("With a session: begins after this sequence, and not with what comes from now on"),
  }),
  output: z.object({ items: z.array(storedEvent) }),
  shell: {
    form: "log follow",
    about: "Print events as they are written, by any process",
    options: {
      session: { flags: "--session <name>", about: "only of this session" },
      after: { flags: "--after <number>", about: "with --session: begin after this event" },
    },
    follows: "Following the log. Stop with Ctrl-C.",
    ...{ store: true, here: true },
  },
  view: eventsView,
  async run() {
    throw new ToolwrightError("operation_unavailable", "events.watch is a stream. Ask for text/event-stream.");
  },
  allow: requireWatcher,
  async follow({ session: wanted, after }, context) {
    const { principal, ports, signal } = context;
    if (after !== undefined && wanted === undefined)
      throw misfitAt("/after", "invalid_input", "Each session has numbers of its own. Name the session, too.");
    const session = await requireWatcher({ session: wanted }, context);
    return fromReady((onReady) => ports.log.follow({ tenant: principal.tenant, session, after, onReady }, signal));
  },
});

/** Lets in who may read the log, and who may see the session; gives the id of the session. */
async function requireWatcher(
  { session }: { readonly session?: string | undefined },
  context: OperationContext<typeof logPort>,
): Promise<string | undefined> {
  if (session !== undefined) return (await requireReader({ session }, context)).session;
  if (readsLog(context.principal)) return undefined;
  throw new ToolwrightError("operation_not_allowed", `Events of all sessions need the permission ${READ_LOG}. Name a session of your own.`);
}

function removedAfter(after: number, { removed: gone }: SessionHead): Removed | undefined {
  return gone && gone.through > after ? { through: gone.through, at: gone.at } : undefined;
}

const head = z.object({
  tenant: z.string(),
  session: z.string(),
  sequence: z.int().describe("Of the last event"),
  hash: z.string(),
  lastAt: time("When the last event happened"),
  writtenAt: time("When it was written, by the clock of the store"),
  removed: z.object({ through: z.int(), hash: z.string(), at: z.number() }).optional().describe("What retention took from its beginning"),
});

const listHeads = defineOperation({
  name: "events.heads",
  at: "GET /events/heads",
  title: "List where logs stand",
  description: "Lists the sessions of the tenant by their last event, newest first. Needs the permission log:read.",
  permission: READ_LOG,
  effect: "read",
  needs: [logPort],
  input: z.object({
    session: z.string().min(1).optional().describe("Only this one"),
    since: time("Sessions whose last event happened then or later").optional(),
    limit: limitUpTo(10_000, usual),
  }),
  output: z.object({ items: z.array(head), more: z.int().describe("How many there are beyond the limit") }),
  shell: {
    form: "log sessions",
    about: "List sessions, most recently written first",
    options: {
      session: false,
      since: { reads: "past", about: "written since then: a span (12h, 30d) or a date" },
      limit: { about: "maximum number of sessions (default: 100)" },
    },
    store: true,
  },
  view: headsView,
  async run({ session: wanted, since = 0, limit = usual }, { principal, parts, ports }) {
    const { tenant } = principal;
    const session = wanted === undefined ? undefined : ((await findSession(principal, wanted, parts))?.id ?? wanted);
    const heads: SessionHead[] = [];
    for await (const each of ports.log.list({ tenant, session })) if (each.lastAt >= since) heads.push(each);
    const items = heads.sort((a, b) => b.lastAt - a.lastAt).slice(0, limit);
    return { items, more: heads.length - items.length };
  },
});

const report = z.object({
  tenant: z.string(),
  session: z.string(),
  events: z.int().describe("Events that were looked at"),
  faults: z.array(
    z
      .object({ kind: z.enum(faultKinds), sequence: z.int().describe("Of the event where it shows"), message: z.string() })
      .describe("What is wrong, and where"),
  ),
  removed: removed.optional().describe("What retention took from its beginning"),
});

const verifyEvents = defineOperation({
  name: "events.verify",
  at: "GET /events/report",
  title: "Verify a log",
  description: "Checks the chain of a session's events from its beginning. Needs a session of one's own, or the permission log:read.",
  effect: "read",
  needs: [logPort],
  input: z.object({ session: z.string().min(1) }),
  output: report,
  async run({ session: wanted }, context) {
    const { session } = await requireReader({ session: wanted }, context);
    const { principal, ports } = context;
    for await (const found of ports.log.verify({ tenant: principal.tenant, session })) return found;
    throw unknownSession(session);
  },
});

const pruneEvents = defineOperation({
  name: "events.prune",
  at: "POST /events/prune",
  title: "Prune the log",
  description:
    "Removes old sessions with their artifacts, whatever the retention periods are. Needs whoever runs the server, with the permission tenants:manage.",
  permission: MANAGE_TENANTS,
  onlyPeople: true,
  effect: "destructive",
  needs: [retentionPort],
  input: z.object({
    before: time("Sessions without an event since then"),
    tenant: z.string().min(1).optional().describe("Sessions of this tenant; default: of the caller's"),
    all: z.boolean().optional().describe("Sessions of every tenant"),
    dryRun: z.boolean().optional().describe("Only report what would be removed"),
  }),
  output: z.object({
    dryRun: z.boolean(),
    sessions: z.int(),
    events: z.int(),
    artifacts: z.int(),
    messages: z.int().describe("Of conversations with agents"),
  }),
  shell: {
    form: "log prune",
    about: "Remove old sessions with their artifacts",
    options: {
      before: { flags: "--older-than <time>", reads: "past", about: "sessions without an event since then: a span (90d) or a date" },
      tenant: { flags: "--tenant <name>", about: "of this tenant (default: default)" },
    },
    store: true,
    tenantless: true,
  },
  view: prunedView,
  async run({ before, tenant: named, all = false, dryRun = false }, { principal, parts, ports }) {
    if (all && named !== undefined)
      throw misfitAt("/all", "invalid_input", "One tenant is named, and every one is meant: leave one of them out.");
    const tenant = all ? undefined : (named ?? principal.tenant);
    if (tenant !== undefined && !(await parts.tenants.has(tenant))) throw tenantNotFound(tenant);
    return { dryRun, ...(await ports.retention.removeSessions({ before, tenant, dryRun })) };
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

interface Readable {
  readonly session: string;
  /** First event of the call. */
  readonly first?: StoredEvent | undefined;
}

/** Lets in who made the call, who may see the session, and who may read the log; gives the id of the session and the first event of the call. */
async function requireReader({ session: text, call }: WantedEvents, context: OperationContext<typeof logPort>): Promise<Readable> {
  const { principal, parts, ports } = context;
  const { tenant } = principal;
  const found = await findSession(principal, text, parts);
  const session = found?.id ?? text;
  const [first] = call === undefined ? [] : await ports.log.page({ tenant, session, call, limit: 1 });
  if (readsLog(principal) || (found && maySeeSession(principal, found))) return { session, first };
  if (first && isCaller(principal, { caller: first.event.actor, agent: first.event.agent ?? null })) return { session, first };
  throw unknownSession(text);
}

export const logSubject = defineSubject({
  name: "log",
  permissions: [{ name: READ_LOG, about: "read what everybody in the tenant did: runs, usage, events" }],
  errors: {
    event_refused: { kind: "failed", means: "Events of this type are not declared, or the event is not well formed; nothing was written." },
    record_failed: { kind: "unready", means: "The event log could not be written." },
  },
  store: [logPort],
  shell: { log: { about: "Read, follow and verify the log of all calls" } },
  operations: [listEvents, watchEvents, listHeads, verifyEvents, pruneEvents],
});
