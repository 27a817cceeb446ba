import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SESSIONS, READ_LOG } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { type ArtifactStore, artifactNotFound } from "../ports/artifact-store.ts";
import { sharerOf } from "../ports/fair-pool.ts";
import { countSession } from "../ports/person-limits.ts";
import { everybody, type Session, type SessionName, type SessionUsers } from "../ports/session-store.ts";
import type { GateParts } from "./gate-parts.ts";

type ArtifactRange = NonNullable<Parameters<ArtifactStore["read"]>[2]>;
type Parts = Pick<GateParts, "sessions" | "tenants" | "clock" | "ids" | "limiter">;

/** Ids that the product draws begin so; no caller can name a session that begins so. */
const drawn = "ses_";

/** The person who asks, in whose conversation an agent asks, or from whom a sub-agent has what it has. */
export function personOf({ actor, onBehalfOf, delegated }: Principal): string | undefined {
  if (actor.kind === "user") return actor.id;
  return onBehalfOf ?? (delegated && personOf(delegated.from));
}

/** Whose a session is that the principal makes: its person's, or where there is none, that of the program or agent at the root. */
export function sessionOwner(principal: Principal): string {
  const person = personOf(principal);
  if (person !== undefined) return ownerName("user", person);
  const { delegated, actor } = principal;
  return delegated ? sessionOwner(delegated.from) : ownerName(actor.kind, actor.id);
}

/** No two actors have one name: a person whose id looks like another kind's is named with the kind. */
export function ownerName(kind: Principal["actor"]["kind"], id: string): string {
  return kind === "user" && !/^(?:user|agent|service):/.test(id) ? id : `${kind}:${id}`;
}

/** True for its owner, those who act for its owner, the people whom it is shared with, and the agent that it was made for. */
function mayUseSession(principal: Principal, { owner, agent, sharedWith = [] }: SessionUsers): boolean {
  const asker = sessionOwner(principal);
  if (owner === undefined ? managesSessions(principal) : owner === asker) return true;
  if (sharedWith.includes(everybody) || sharedWith.includes(asker)) return true;
  if (agent === undefined || personOf(principal) !== undefined) return false;
  return principal.agent === agent || (principal.actor.kind === "agent" && principal.actor.id === agent);
}

/** True for those who may use it, and for `sessions:manage`. */
export function maySeeSession(principal: Principal, users: SessionUsers): boolean {
  return managesSessions(principal) || mayUseSession(principal, users);
}

export const managesSessions = ({ permissions, delegated }: Principal) => !delegated && permissions.includes(MANAGE_SESSIONS);

export const readsLog = ({ permissions, delegated }: Principal) => !delegated && permissions.includes(READ_LOG);

/** Undefined where the principal may make calls in the session, which is made as its own on first use; else the refusal. */
export function refuseSession(
  principal: Principal,
  session: string,
  { sessions, clock }: Pick<Parts, "sessions" | "clock">,
): ToolwrightError | undefined | Promise<ToolwrightError | undefined> {
  const name = { tenant: principal.tenant, id: session };
  const owner = sessionOwner(principal);
  const users = sessions.ensure(name, { owner, at: clock.now() });
  if (users instanceof Promise) return users.then((found) => refuseUsers(principal, name, { users: found, sessions }));
  return users.owner === owner ? undefined : refuseUsers(principal, name, { users, sessions });
}

/** A store may remember the owner alone; whom a session is shared with is read each time, so that a share ends at once. */
function refuseUsers(
  principal: Principal,
  name: SessionName,
  { users, sessions }: Pick<Parts, "sessions"> & { readonly users: SessionUsers },
): ToolwrightError | undefined | Promise<ToolwrightError | undefined> {
  if (mayUseSession(principal, { ...users, sharedWith: [] })) return undefined;
  return sessions.find(name).then((found) => (found && mayUseSession(principal, found) ? undefined : unknownSession(name.id)));
}

/**
 * Gives the id of the session that a caller named: its own of this name, made on first use, or an id that it may use. Rejects with
 * `session_not_found` for an id that it may not use, with `session_refused` for what can be no name, and with `limit_reached` for a new name where
 * its person made as many sessions as one may make a day.
 */
export async function openSession(principal: Principal, text: string, parts: Parts): Promise<string> {
  const { sessions, tenants, ids, clock } = parts;
  const { tenant } = principal;
  // Nothing is made there, and what is done in it next says that the tenant is missing.
  if (!(await tenants.has(tenant))) return text;
  if (text.startsWith(drawn)) {
    const users = await sessions.usersOf({ tenant, id: text });
    if (!users || (await refuseUsers(principal, { tenant, id: text }, { users, sessions }))) throw unknownSession(text);
    return text;
  }
  checkName(text);
  const named = { tenant, owner: sessionOwner(principal), name: text };
  const known = sessions.named(named);
  const own = known instanceof Promise ? await known : known;
  if (own !== undefined) return own;
  const other = await sessions.find({ tenant, id: text });
  // Without its permissions: who manages sessions means a session of its own, too.
  if (other && mayUseSession({ ...principal, permissions: [] }, other)) return text;
  const release = await countSession(sharerOf(principal), parts);
  const id = ids.next("ses");
  const opened = await sessions.openNamed(named, { id, at: clock.now() }).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  // Another call made it in the meantime.
  if (opened !== id) await release();
  return opened;
}

/** The principal's own session under a name that the product gives, made on first use. It counts to no limit. */
export async function openProductSession(principal: Principal, name: string, { sessions, tenants, ids, clock }: Parts): Promise<string> {
  const { tenant } = principal;
  if (!(await tenants.has(tenant))) return name;
  const named = { tenant, owner: sessionOwner(principal), name };
  return (await sessions.named(named)) ?? sessions.openNamed(named, { id: ids.next("ses"), at: clock.now() });
}

interface Seeing {
  readonly parts: Pick<Parts, "sessions">;
  /** True: who may read the log may see it, too. */
  readonly alsoReaders?: boolean;
}

/** The session that the principal may see under this name of its own or this id. Rejects with `session_not_found` for any other; makes none. */
export async function requireSession(principal: Principal, text: string, { parts, alsoReaders = false }: Seeing): Promise<Session> {
  const found = await findSession(principal, text, parts);
  if (found && (maySeeSession(principal, found) || (alsoReaders && readsLog(principal)))) return found;
  throw unknownSession(text);
}

/** By the principal's own name first, then by id, whoever may see it. */
export async function findSession(principal: Principal, text: string, { sessions }: Pick<Parts, "sessions">): Promise<Session | undefined> {
  const { tenant } = principal;
  const own = text.startsWith(drawn) ? undefined : await sessions.named({ tenant, owner: sessionOwner(principal), name: text });
  return sessions.find({ tenant, id: own ?? text });
}

/** Reads an artifact of a session that the principal may see. Rejects with `artifact_not_found` for any other, as for a missing one. */
export async function readOwnArtifact(
  principal: Principal,
  id: string,
  { range, parts }: { readonly range?: ArtifactRange | undefined; readonly parts: Pick<GateParts, "sessions" | "artifacts"> },
): ReturnType<ArtifactStore["read"]> {
  const { tenant } = principal;
  const read = await parts.artifacts.read(tenant, id, range);
  if (readsLog(principal) || (await seesSession(principal, read.session, parts))) return read;
  throw artifactNotFound(id);
}

/** Lists the artifacts of a session that the principal may see; of any other, none. */
export async function listOwnArtifacts(
  principal: Principal,
  session: string,
  parts: Pick<GateParts, "sessions" | "artifacts">,
): ReturnType<ArtifactStore["list"]> {
  return (await seesSession(principal, session, parts)) ? parts.artifacts.list(principal.tenant, session) : [];
}

async function seesSession(principal: Principal, id: string, { sessions }: Pick<Parts, "sessions">): Promise<boolean> {
  const name = { tenant: principal.tenant, id };
  const users = await sessions.usersOf(name);
  if (!users || maySeeSession(principal, { ...users, sharedWith: [] })) return users !== undefined;
  const found = await sessions.find(name);
  return found !== undefined && maySeeSession(principal, found);
}

const longest = 200;

function checkName(name: string): void {
  if (name.length > 0 && name.length <= longest && !name.includes("\u0000") && name.isWellFormed()) return;
  throw new ToolwrightError("session_refused", `The name of a session has 1 to ${longest} characters and no NUL. Use a shorter name.`);
}

/** The error for a session that does not exist or belongs to somebody else, in the same words. */
export function unknownSession(id: string): ToolwrightError {
  const message = `There is no session ${JSON.stringify(id)} for this principal. Use a session of your own, or leave the session out to get a new one.`;
  return new ToolwrightError("session_not_found", message);
}
