import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SESSIONS } from "../contract/permissions.ts";
import { managesSessions, ownerName, requireSession, sessionOwner, unknownSession } from "../gate/session-access.ts";
import { sharerOf } from "../ports/fair-pool.ts";
import { countSession } from "../ports/person-limits.ts";
import { everybody, knownSessionKinds, type Session, type SessionChanges } from "../ports/session-store.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { after, limitUpTo, pageOf, time } from "./json-parts.ts";
import { sessionsView, sharedView } from "./views/sessions.ts";

const longest = 200;

const idOrName = z.string().min(1).describe("Id, or the principal's own name for it");

const status = z.enum(["open", "archived"]).describe("For lists: an archived session takes calls like an open one");

const session = z.object({
  tenant: z.string(),
  id: z.string(),
  name: z.string().optional().describe("What its owner calls it; doors and operations take it in place of the id, from its owner alone"),
  owner: z
    .string()
    .optional()
    .describe("Id of the person whose it is, service:ID or agent:ID; absent: from before owners, for sessions:manage alone"),
  sharedWith: z
    .array(z.string())
    .optional()
    .describe("Who may use it beside its owner, in the form of owner; * is everybody of the tenant"),
  agent: z.string().optional().describe("The agent that works in it"),
  kind: z.string(),
  title: z.string().optional(),
  status,
  createdAt: time("When it was made"),
  usedAt: time("When it was last used"),
});

export const listSessions = defineOperation({
  name: "sessions.list",
  at: "GET /sessions",
  title: "List sessions",
  description:
    "Lists the sessions of the principal and those that are shared with it, last used first; with the permission sessions:manage those of the tenant.",
  effect: "read",
  input: z.object({
    owner: z.string().optional().describe("Only of this owner"),
    ownerless: z.boolean().optional().describe("True: only sessions without an owner, which are from before owners"),
    agent: z.string().optional().describe("Only those that this agent works in"),
    kind: z.string().optional().describe("Only of this kind, such as chat or calls"),
    status: status.optional(),
    after,
    limit: limitUpTo(500, 50),
  }),
  output: pageOf(session),
  shell: {
    form: "sessions list",
    about: "List sessions, last used first",
    options: {
      owner: { flags: "--owner <id>" },
      ownerless: { about: "only those without an owner, which are from before owners" },
      agent: false,
      kind: { flags: "--kind <kind>" },
      status: false,
      after: { flags: "--after <key>", about: "next page: the key that the previous page printed" },
      limit: false,
    },
    store: true,
  },
  view: sessionsView,
  async run(filter, { principal, parts }) {
    const { tenant } = principal;
    const usableBy = managesSessions(principal) ? undefined : sessionOwner(principal);
    const { sessions, next } = await parts.sessions.list({ ...filter, tenant, usableBy });
    return { items: sessions, next };
  },
});

export const getSession = defineOperation({
  name: "sessions.get",
  at: "GET /sessions/{id}",
  title: "Get a session",
  description: "Gets a session that the principal may use; with the permission sessions:manage any of the tenant.",
  effect: "read",
  input: z.object({ id: idOrName }),
  output: session,
  run: ({ id }, { principal, parts }) => requireSession(principal, id, { parts }),
});

export const createSession = defineOperation({
  name: "sessions.create",
  at: "POST /sessions",
  status: 201,
  title: "Create a session",
  description: "Makes a session of the principal, which alone may use it until it is shared.",
  effect: "write",
  input: z.object({
    name: z.string().optional().describe("1 to 200 characters: finds the session again, for its owner alone; default: its id is enough"),
    kind: z.string().optional().describe("Default: calls"),
    title: z.string().optional().describe("At most 200 characters"),
    agent: z.string().optional().describe("The agent that works in it: it may use the session without a person"),
  }),
  output: session,
  async run({ kind = "calls", name, title, agent }, { principal, parts }) {
    if (name !== undefined) checkText("name", name);
    if (title !== undefined) checkText("title", title);
    checkKind(kind);
    await countSession(sharerOf(principal), parts);
    const at = parts.clock.now();
    const owner = sessionOwner(principal);
    const id = parts.ids.next("ses");
    const made: Session = { tenant: principal.tenant, id, name, owner, agent, kind, title, status: "open", createdAt: at, usedAt: at };
    await parts.sessions.create(made);
    return made;
  },
});

export const updateSession = defineOperation({
  name: "sessions.update",
  at: "PATCH /sessions/{id}",
  title: "Update a session",
  description:
    "Changes the title or status of a session that the principal may use; with the permission sessions:manage of any of the tenant.",
  effect: "write",
  input: z.object({ id: idOrName, title: z.string().optional(), status: status.optional() }),
  output: session,
  async run({ id, ...changes }, { principal, parts }) {
    if (changes.title !== undefined) checkText("title", changes.title);
    return change(await requireSession(principal, id, { parts }), changes, parts);
  },
});

const sharing = z.object({
  id: idOrName,
  with: z.string().min(1).max(longest).optional().describe("Id of a person of the tenant; service:ID or agent:ID for a program"),
  tenant: z.literal(true).optional().describe("Everybody of the tenant, in place of one person"),
});

const audience = {
  with: { flags: "--with <user>", about: "id of the person; service:ID or agent:ID for a program" },
  tenant: { flags: "--tenant-wide", about: "everybody of the tenant" },
};

const byOwner = "For its owner; with the permission sessions:manage any of the tenant.";

const shareSession = defineOperation({
  name: "sessions.share",
  at: "POST /sessions/{id}/share",
  title: "Share a session",
  description: `Lets a person, or everybody of the tenant, use a session by its id: calls, files, pages, artifacts, events, turns. ${byOwner}`,
  effect: "write",
  input: sharing,
  output: session,
  shell: {
    form: "sessions share <id>",
    about: "Let a person, or everybody of the tenant, use a session by its id",
    options: audience,
    store: true,
  },
  view: sharedView,
  async run(wanted, context) {
    const share = readAudience(wanted);
    return change(await requireOwn(wanted.id, context), { share }, context.parts);
  },
});

const unshareSession = defineOperation({
  name: "sessions.unshare",
  at: "POST /sessions/{id}/unshare",
  title: "Unshare a session",
  description: `Takes a share back. Calls in the session are refused at once, and open streams of it end within 15 seconds. ${byOwner}`,
  effect: "write",
  input: sharing,
  output: session,
  shell: { form: "sessions unshare <id>", about: "Take a share back", options: audience, store: true },
  view: sharedView,
  async run(wanted, context) {
    const unshare = readAudience(wanted);
    return change(await requireOwn(wanted.id, context), { unshare }, context.parts);
  },
});

function readAudience({ with: person, tenant }: Pick<z.infer<typeof sharing>, "with" | "tenant">): string {
  const [one, ...more] = [...(person === undefined ? [] : [person]), ...(tenant ? [everybody] : [])];
  if (one !== undefined && more.length === 0 && person !== everybody) return one;
  throw new ToolwrightError("invalid_input", "Name either one person, as `with`, or everybody of the tenant, as `tenant`.");
}

/** Who acts for the owner, such as an agent in the owner's conversation, shares nothing. */
async function requireOwn(id: string, { principal, parts }: OperationContext): Promise<Session> {
  const found = await requireSession(principal, id, { parts });
  const { actor, delegated } = principal;
  if (managesSessions(principal) || (!delegated && found.owner === ownerName(actor.kind, actor.id))) return found;
  throw new ToolwrightError(
    "operation_not_allowed",
    "Only the owner of a session shares it. Ask its owner, or somebody with the permission sessions:manage.",
  );
}

async function change({ tenant, id }: Session, changes: SessionChanges, { sessions }: OperationContext["parts"]): Promise<Session> {
  const updated = await sessions.update({ tenant, id }, changes);
  if (!updated) throw unknownSession(id);
  return updated;
}

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

export const sessionsSubject = defineSubject({
  name: "sessions",
  permissions: [{ name: MANAGE_SESSIONS, about: "see and change the sessions of everybody in the tenant, and call in none of them" }],
  errors: {
    session_not_found: { kind: "missing", means: "There is no such session for this principal." },
    session_refused: { kind: "failed", means: "The session cannot be made or changed as asked." },
  },
  shell: {
    sessions: {
      about: "Sessions: list, share and unshare them",
      notes:
        "A session belongs to the person who made it. Nobody else reaches its files, pages, artifacts, events and turns until it is shared.",
      examples: [
        "sessions list",
        "sessions share ses_81f2 --with bob",
        "sessions share ses_81f2 --tenant-wide",
        "sessions unshare ses_81f2 --with bob",
      ],
    },
  },
  operations: [listSessions, getSession, createSession, updateSession, shareSession, unshareSession],
});
