import { randomBytes } from "node:crypto";
import { hookChannels } from "@toolwright/agents";
import { createEngine, defaultPolicy, defineTool, type Engine, type Principal, type Scope } from "@toolwright/engine";
import type { OperationName, OperationTypes } from "@toolwright/engine/operations";
import { builtinRoles, expandPermissions, type IdentityAdmin } from "@toolwright/engine/ports";
import {
  type Accounts,
  createKeyring,
  openStore,
  type PostgresSecretStore,
  type Store,
  systemHandle,
  toMasterKey,
} from "@toolwright/postgres";
import { openTestDatabase, type TestDatabaseKind } from "@toolwright/postgres/testing";
import { productSubjects } from "@toolwright/server/subjects";
import { createSignIn, type SignIn } from "@toolwright/sign-in";
import { indexText, searchKnowledge } from "@toolwright/tools";
import { z } from "zod";
import { holdAnswer } from "./hold-answer.ts";

/** Whose things they are, and who asks for them: somebody of another tenant, and another person of the same one. */
export const [owner, stranger, colleague] = ["acme", "other", "colleague"] as const;

/** The tenant of who asks, which strangers are named by. */
export const tenantOf = (who: string) => (who === colleague ? owner : who);

export interface World {
  readonly store: Store;
  readonly secrets: PostgresSecretStore;
  readonly identity: IdentityAdmin;
  readonly accounts: Accounts;
  readonly signIn: SignIn;
  readonly engine: Engine;
  /** As who asks: see `principalOf`. */
  scopeOf(who: string): Scope;
  operateOf(
    who: string,
  ): <Name extends OperationName>(name: Name, input: OperationTypes[Name]["input"]) => Promise<OperationTypes[Name]["output"]>;
  close(): Promise<void>;
}

/** The same person in any tenant, who may do all there; a colleague is another one of the owner's tenant with the rights of a member. */
export function principalOf(who: string): Principal {
  const common = { door: "rest", source: "api", interactive: true } as const;
  if (who === colleague) return { ...common, tenant: owner, actor: { kind: "user", id: "ben" }, permissions: permissionsOfMembers };
  const permissions = expandPermissions(builtinRoles.get("owner") ?? [], []);
  return { ...common, tenant: who, actor: { kind: "user", id: "ann" }, permissions };
}

/** Sessions are persons': the owner and the stranger have theirs in tenants of their own. */
export const sessionOf = (who: string) => (who === colleague ? "s2" : "s1");

/** As far as the engine knows them by itself. */
export const permissionsOfMembers = expandPermissions(builtinRoles.get("member") ?? [], []);

const pay = defineTool({
  name: "pay",
  description: "Asks a person before it does nothing.",
  input: z.object({ euros: z.int() }),
  output: z.object({ euros: z.int() }),
  effects: {},
  run: (input) => input,
});

/** Everything that knows tenants, on one database with the tenants `acme` and `other`, each with an agent `shared` and a skill `shared`. */
export async function openWorld(kind: TestDatabaseKind): Promise<World> {
  const test = await openTestDatabase(kind);
  await test.database.close();
  const store = await openStore({ url: test.url, folder: test.folder ?? "", process: "prc_matrix", holder: "a test" });
  const secrets = await store.openSecrets(createKeyring([toMasterKey(randomBytes(32))]));
  const identity = store.openIdentity();
  const { accounts } = store;
  const origin = "http://127.0.0.1:1";
  const signIn = await createSignIn(
    { handle: systemHandle(store.database), identity, accounts },
    { origin, resource: `${origin}/mcp`, secret: "0".repeat(32), addressHeader: "x-address", log: () => {} },
  );
  const { approvals, callTree, grants, limiter, idempotency, events, artifacts, sessions, policies, catalogue } = store;
  const { visibility, tenantTools } = catalogue;
  const { runs, usage, limits, log, hooks, jobs, schedules, turns, turnStream, rooms, memories, knowledge } = store;
  const engine = createEngine({
    tools: [pay],
    policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full", tools: { ask: ["pay"] } } }],
    ...{ approvals, callTree, grants, limiter, idempotency, events, artifacts, sessions, policies, visibility, tenantTools, secrets },
    subjects: productSubjects,
    administration: {
      ...{ runs, usage, limits, log, hooks, channels: hookChannels, jobs, schedules },
      memories: { store: memories, indexOf: indexText },
      knowledge: { store: knowledge, search: searchKnowledge({ store: knowledge }) },
      ...{ turns, turnStream, rooms, catalogue, identity, secrets },
    },
  });
  for (const tenant of [owner, stranger]) {
    await catalogue.agents.create(tenant, { agent: "shared", name: "Shared", features: {}, restricted: false, acceptsAgents: false });
    await catalogue.skills.create(tenant, { skill: "shared", title: "Shared", instructions: "", tools: [] });
  }
  return {
    ...{ store, secrets, identity, accounts, signIn, engine },
    scopeOf: (who) => engine.scope(principalOf(who), { session: sessionOf(who) }),
    operateOf: (who) => async (name, input) => {
      const answer = await engine.operate(principalOf(who), name, input, { session: sessionOf(who) });
      holdAnswer(name, answer);
      return answer;
    },
    async close() {
      await engine.close();
      await secrets.close();
      await store.close();
      await test.cleanup();
    },
  };
}
