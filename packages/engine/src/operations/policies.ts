import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import { MANAGE_POLICY } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import type { GateParts } from "../gate/gate-parts.ts";
import { diffPolicies, type PolicyDifference } from "../policy/diff-policies.ts";
import { tiersOfTenant } from "../policy/document/tenant-policy.ts";
import type { PolicyVersion } from "../ports/policy-store.ts";

export interface PolicyChange {
  /** The revision that was read and changed; 0 for a tenant without a policy. */
  readonly read: number;
  /** Why, in 1 to 500 characters. */
  readonly note: string;
}

/** The policy of a principal's tenant. All of it rejects with `policy_not_allowed` without the permission `policy:manage`. */
export interface Policies {
  /** The version in force; undefined where the tenant has no policy of its own. */
  current(): Promise<PolicyVersion | undefined>;
  /** Puts a document in force. Rejects with `policy_invalid`, and with `policy_conflict` where another version came meanwhile. */
  put(document: JsonObject, change: PolicyChange): Promise<PolicyVersion>;
  /** Newest first; with `before`, those that come before that revision. */
  versions(page?: { readonly before?: number | undefined; readonly limit?: number | undefined }): Promise<readonly PolicyVersion[]>;
  /** What the second revision says differently. Revision 0 is the empty policy. Rejects with `policy_not_found`. */
  diff(from: number, to: number): Promise<readonly PolicyDifference[]>;
  /** Puts the document of an earlier revision in force, as a new version. Rejects like `put`, and with `policy_not_found`. */
  revert(revision: number, change: PolicyChange): Promise<PolicyVersion>;
}

const longestNote = 500;

type Parts = Pick<GateParts, "policies" | "clock">;

/** The policy of the principal's tenant, as far as the principal may see and change it. */
export function managePolicies(principal: Principal, { policies, clock }: Parts): Policies {
  const { tenant } = principal;
  const allowed = async () => requirePermission(principal);
  const documentAt = async (revision: number): Promise<JsonObject> => {
    if (revision === 0) return {};
    const found = await policies.find(tenant, revision);
    if (found) return found.document;
    const message = `The tenant ${JSON.stringify(tenant)} has no policy of revision ${revision}. List its versions and name one of them.`;
    throw new ToolwrightError("policy_not_found", message);
  };
  const put = async (document: JsonObject, { read, note }: PolicyChange) => {
    checkNote(note);
    tiersOfTenant({ tenant, document });
    return policies.put({ tenant, document, author: principal.actor, note, at: clock.now(), read });
  };
  return {
    async current() {
      await allowed();
      const [newest] = await policies.list(tenant, { limit: 1 });
      return newest;
    },
    async put(document, change) {
      await allowed();
      return put(document, change);
    },
    async versions(page) {
      await allowed();
      return policies.list(tenant, page);
    },
    async diff(from, to) {
      await allowed();
      const [{ version: _, ...before }, { version: __, ...after }] = [await documentAt(from), await documentAt(to)];
      return diffPolicies(before, after);
    },
    async revert(revision, change) {
      await allowed();
      return put(await documentAt(revision), change);
    },
  };
}

function requirePermission({ tenant, actor, permissions, delegated }: Principal): void {
  if (actor.kind === "user" && !delegated && permissions.includes(MANAGE_POLICY)) return;
  const who = `${actor.kind} ${JSON.stringify(actor.id)}`;
  const message = `The ${who} may not read or change the policy of the tenant ${JSON.stringify(tenant)}. Ask a person with the permission ${MANAGE_POLICY}.`;
  throw new ToolwrightError("policy_not_allowed", message);
}

function checkNote(note: string): void {
  const isText = typeof note === "string" && note.trim().length > 0 && note.length <= longestNote;
  if (isText && !note.includes("\u0000") && note.isWellFormed()) return;
  throw new ToolwrightError("policy_invalid", `The note is not 1 to ${longestNote} characters of text. Say why the policy changes.`);
}
