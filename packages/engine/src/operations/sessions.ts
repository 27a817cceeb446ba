import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SESSIONS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { mayUseSession, personOf, unknownSession } from "../gate/guard-call.ts";
import { knownSessionKinds, type Session } from "../ports/session-store.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { after, limitUpTo, pageOf, time } from "./json-parts.ts";

const status = z.enum(["open", "archived"]).describe("For lists: an archived session takes calls like an open one");

const session: z.ZodType<Session> = z.object({
  tenant: z.string(),
  id: z.string(),
  owner: z.string().optional().describe("Id of the person whose it is; absent: everybody of the tenant who names it may use it"),
  agent: z.string().optional().describe("The agent that works in it"),
  kind: z.string(),
  title: z.string().optional(),
  status,
  createdAt: time("When it was made"),
  usedAt: time("When it was last used"),
});

export const listSessions = defineOperation({
  name: "sessions.list",
  title: "List sessions",
  description: "Lists the sessions of the person who asks, last used first; with the permission sessions:manage those of the tenant.",
  effect: "read",
  input: z.object({
    owner: z.string().optional(),
    agent: z.string().optional(),
    kind: z.string().optional(),
    status: status.optional(),
    after,
    limit: limitUpTo(500, 50),
  }),
  output: pageOf(session),
  async run(filter, { principal, parts }) {
    const { tenant } = principal;
    const owner = managesAll(principal) ? filter.owner : personOf(principal);
    const isStrange = !managesAll(principal) && (owner === undefined || (filter.owner ?? owner) !== owner);
    const { sessions, next } = isStrange ? { sessions: [] } : await parts.sessions.list({ ...filter, tenant, owner });
    return { items: sessions, next };
  },
});

export const getSession = defineOperation({
  name: "sessions.get",
  title: "Get a session",
  description: "Gets a session that the principal may use; with the permission sessions:manage any of the tenant.",
  effect: "read",
  input: z.object({ id: z.string().min(1) }),
  output: session,
  run: ({ id }, context) => requireSession(id, context),
});

export const createSession = defineOperation({
  name: "sessions.create",
  title: "Create a session",
  description: "Makes a session of the person who asks. One that an agent or service makes for nobody has no owner.",
  effect: "write",
  input: z.object({
    id: z.string().optional().describe("1 to 200 characters; default: a new one that nobody can guess"),
    kind: z.string().optional().describe("Default: calls"),
    title: z.string().optional().describe("At most 200 characters"),
    agent: z.string().optional().describe("The agent that works in it: it may use the session without a person"),
  }),
  output: session,
  async run({ kind = "calls", title, agent, ...rest }, { principal, parts }) {
    const { id = parts.ids.next("ses") } = rest;
    checkText("id", id);
    if (title !== undefined) checkText("title", title);
    checkKind(kind);
    const at = parts.clock.now();
    const owner = personOf(principal);
    const made: Session = { tenant: principal.tenant, id, owner, agent, kind, title, status: "open", createdAt: at, usedAt: at };
    await parts.sessions.create(made);
    return made;
  },
});

export const updateSession = defineOperation({
  name: "sessions.update",
  title: "Update a session",
  description:
    "Changes the title or status of a session that the principal may use; with the permission sessions:manage of any of the tenant.",
  effect: "write",
  input: z.object({ id: z.string().min(1), title: z.string().optional(), status: status.optional() }),
  output: session,
  async run({ id, ...changes }, context) {
    if (changes.title !== undefined) checkText("title", changes.title);
    const { tenant } = await requireSession(id, context);
    const updated = await context.parts.sessions.update({ tenant, id }, changes);
    if (!updated) throw unknownSession(id);
    return updated;
  },
});

const managesAll = ({ permissions, delegated }: Principal) => !delegated && permissions.includes(MANAGE_SESSIONS);

/** Rejects with `session_not_found` for one that there is not, and for somebody else's. */
async function requireSession(id: string, { principal, parts }: OperationContext): Promise<Session> {
  const found = await parts.sessions.find({ tenant: principal.tenant, id });
  if (found && (managesAll(principal) || mayUseSession(principal, found))) return found;
  throw unknownSession(id);
}

const longest = 200;

function checkText(what: string, text: string): void {
  if (text.length > 0 && text.length <= longest && !text.includes("\u0000") && text.isWellFormed()) return;
  const message = `The ${what} of the session is not 1 to ${longest} characters of text. Choose another one.`;
  throw new ToolwrightError("session_refused", message);
}

function checkKind(kind: string): void {
  const kinds = knownSessionKinds();
  if (kinds.includes(kind)) return;
  const message = `There is no kind of sessions ${JSON.stringify(kind)}. Use ${kinds.join(", ")}, or declare it first with declareSessionKind.`;
  throw new ToolwrightError("session_refused", message);
}
