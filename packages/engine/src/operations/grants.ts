import { z } from "zod";
import { revokeGrant as endGrant, giveGrant } from "../gate/grants/manage-grants.ts";
import type { GrantPredicate, GrantRecord } from "../ports/grant-store.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { actor, listOf, time } from "./json-parts.ts";
import { grantsView } from "./views/grants.ts";

/** What a grant lets through unasked. */
export const predicate: z.ZodType<GrantPredicate, GrantPredicate> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("command"), pattern: z.string().describe("Over the words of one simple command, as in `commands.rules`") }),
  z.object({ kind: z.literal("path"), prefix: z.string(), access: z.enum(["read", "write", "delete"]) }),
  z.object({ kind: z.literal("request"), host: z.string(), method: z.string(), credential: z.string().optional() }),
  z.object({ kind: z.literal("input"), digest: z.string().describe("Of the canonical input: this very call") }),
]);

const audience: z.ZodType<GrantRecord["scope"]> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("session"), session: z.string(), holder: z.string() }),
  z.object({ kind: z.literal("agent"), holder: z.string() }),
  z.object({ kind: z.literal("tenant") }),
]);

const record = z.object({
  id: z.string(),
  tenant: z.string(),
  tool: z.string(),
  definition: z.string().describe("Hash of the tool's definition; with another one the grant does not hold"),
  scope: audience,
  allows: z.array(predicate),
  by: actor,
  createdAt: time("When it was given"),
  expiresAt: time("Until when it holds"),
  maxUses: z.int(),
  approval: z.string().optional().describe("The approval that it was given with"),
});

const storedGrant = z.object({
  record,
  used: z.int(),
  lastUsedAt: time("When it was last used").optional(),
  revoked: z.object({ by: actor, at: time("When") }).optional(),
});

export const listGrants = defineOperation({
  name: "grants.list",
  at: "GET /grants",
  title: "List grants",
  description: "Lists remembered approvals that hold for the principal; with the permission approvals:answer all of the tenant.",
  effect: "read",
  input: z.object({}),
  output: listOf(storedGrant),
  shell: { form: "grants list", about: "List grants in plain words" },
  view: grantsView,
  run: async (_, { scope }) => ({ items: await scope.grants() }),
});

const createGrant = defineOperation({
  name: "grants.create",
  at: "POST /grants",
  status: 201,
  title: "Create a grant",
  description: "Allows matching calls from now on. Needs a person; for others and for the tenant, the permission approvals:answer.",
  effect: "write",
  input: z.object({
    tool: z.string(),
    allows: z.array(predicate).min(1),
    agent: z.string().optional().describe("The agent it is for; default: the person who gives it"),
    scope: z.enum(["session", "agent", "tenant"]),
    forMs: z.number().optional().describe("Milliseconds; default 12 hours for a session, else 30 days"),
    maxUses: z.int().optional().describe("Default 1000; at most 10000"),
  }),
  output: storedGrant,
  run: (wanted, { scope, parts }) => giveGrant(scope, wanted, parts),
});

export const revokeGrant = defineOperation({
  name: "grants.revoke",
  at: "DELETE /grants/{id}",
  title: "Revoke a grant",
  description: "Ends a grant at once: matching calls ask again. Needs the person who gave it, or the permission approvals:answer.",
  effect: "write",
  input: z.object({ id: z.string().min(1) }),
  output: z.object({ revoked: z.string() }),
  shell: { form: "grants revoke <id>", about: "Revoke a grant at once" },
  view: { note: "Grant revoked. Matching calls ask again.", always: true },
  async run({ id }, { principal, parts }) {
    await endGrant(principal, id, parts);
    return { revoked: id };
  },
});

export const grantsSubject = defineSubject({
  name: "grants",
  errors: {
    grant_not_found: { kind: "missing", means: "There is no such grant for this principal." },
    grant_not_allowed: { kind: "refused", means: "This principal may not give or revoke the grant." },
    grant_refused: {
      kind: "failed",
      means: "What the grant would allow is not remembered: it is too broad, runs code, or is asked about each time.",
    },
  },
  shell: { grants: { about: "List and revoke remembered approvals" } },
  operations: [listGrants, createGrant, revokeGrant],
});
