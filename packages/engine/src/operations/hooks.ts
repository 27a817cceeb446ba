import { z } from "zod";
import { misfitAt } from "../contract/misfit-at.ts";
import { MANAGE_CATALOGUE } from "../contract/permissions.ts";
import type { Actor } from "../contract/principal.ts";
import { type Agents, catalogueMissing, cataloguePort, hasAgent } from "../ports/catalogue-store.ts";
import { channelsPort } from "../ports/channels.ts";
import { type Hook, hookMissing, hooksPort } from "../ports/hooks.ts";
import type { SecretStore } from "../ports/secret-store.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { actor, listOf, time } from "./json-parts.ts";
import { hooksView, madeHookView } from "./views/hooks.ts";

const managed = { permission: MANAGE_CATALOGUE, onlyPeople: true } as const;
const needs = "Needs a person with the permission catalogue:manage.";

interface ListedHook extends Omit<Hook, "tenant" | "principal"> {
  readonly madeBy: Actor;
}

const hook = z.object({
  id: z.string().describe("Part of its address, POST /api/hooks/{id}"),
  name: z.string(),
  agent: z.string(),
  channel: z.string().describe("The way on which its webhooks come, and on which the agent answers"),
  target: z.string().optional().describe("Where messages go out to"),
  credential: z.string().optional().describe("Name of the secret that is sent along there"),
  secret: z.string().describe("Name of the secret that its webhooks are signed with"),
  madeBy: actor,
  createdAt: time("When it was made"),
});

const toListed = ({ tenant: _, principal, ...rest }: Hook): ListedHook => ({ ...rest, madeBy: principal.actor });

const listHooks = defineOperation({
  name: "hooks.list",
  at: "GET /hooks",
  title: "List hooks",
  description: `Lists the addresses to which others send webhooks. ${needs}`,
  ...managed,
  effect: "read",
  needs: [hooksPort],
  input: z.object({}),
  output: listOf(hook),
  shell: { form: "hooks list", store: true },
  view: hooksView,
  run: async (_, { principal, ports }) => ({ items: (await ports.hooks.list(principal.tenant)).map(toListed) }),
});

const createHook = defineOperation({
  name: "hooks.create",
  at: "POST /hooks",
  status: 201,
  title: "Create a hook",
  description: `Makes an address for webhooks. The agent answers each as a message, with nobody to ask and at most the rights of who makes the hook. ${needs}`,
  ...managed,
  effect: "write",
  needs: [hooksPort, cataloguePort, channelsPort],
  input: z.object({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
      .describe("a-z, 0-9 and -; unique in the tenant"),
    agent: z.string().min(1).max(63).describe("Name of the agent that answers"),
    channel: z.string().optional().describe("Default log, which takes webhooks and sends nothing"),
    target: z.string().max(2000).optional().describe("URL to which the channel sends messages"),
    credential: z.string().max(128).optional().describe("Name of a secret that is bound to the host of the target and sent along"),
    secret: z.string().min(1).max(128).describe("Name of the secret that senders sign with"),
  }),
  output: hook,
  shell: {
    form: "hooks add <name>",
    about: "Create a hook and print its address",
    options: {
      agent: { flags: "--agent <name>" },
      channel: {
        flags: "--channel <name>",
        about: "how webhooks come and messages go out: log, webhook or whatsapp (default: log)",
      },
      target: { flags: "--target <url>" },
      credential: { flags: "--credential <name>" },
      secret: { flags: "--secret <name>" },
    },
    notes:
      'The secret is set before: whsec_ and base64 of 24 to 64 bytes, and for whatsapp the app secret of Meta.\n\nExample:\n  echo "whsec_$(openssl rand -base64 32)" | toolwright secrets set orders_hook\n  toolwright hooks add orders --agent assistant --secret orders_hook',
  },
  view: madeHookView,
  async run({ channel = "log", ...wanted }, { principal, parts, ports: { hooks, catalogue, channels } }) {
    const { tenant } = principal;
    await requireAgent(tenant, wanted.agent, catalogue.agents);
    const made = { ...wanted, channel, tenant, id: parts.ids.next("hook"), principal, createdAt: parts.clock.now() };
    channels.check(made, await readSecret(tenant, wanted.secret, parts.secrets));
    await hooks.add(made);
    return toListed(made);
  },
});

const removeHook = defineOperation({
  name: "hooks.remove",
  at: "DELETE /hooks/{hook}",
  title: "Remove a hook",
  description: `Removes a hook: what is sent to it is lost, and what it began and has not run is denied. ${needs}`,
  ...managed,
  effect: "destructive",
  needs: [hooksPort],
  input: z.object({ hook: z.string().min(1).describe("Id or name") }),
  output: z.object({ removed: z.string() }),
  shell: { form: "hooks remove <hook>", store: true },
  view: { note: "Removed. What is sent to it from now on is lost." },
  async run({ hook: wanted }, { principal: { tenant }, ports: { hooks } }) {
    const all = await hooks.list(tenant);
    const found = all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name === wanted);
    if (!found || !(await hooks.remove(found))) throw hookMissing(wanted);
    return { removed: found.name };
  },
});

/** Rejects with `catalogue_not_found`. */
async function requireAgent(tenant: string, agent: string, agents: Pick<Agents, "list">): Promise<void> {
  if (!hasAgent(await agents.list(tenant), agent)) throw catalogueMissing("agent", agent);
}

/** Rejects with `catalogue_refused` for one that is not set. */
async function readSecret(tenant: string, name: string, secrets: Pick<SecretStore, "get">): Promise<string> {
  const value = await secrets.get(tenant, name);
  if (value !== undefined) return value;
  const message = `There is no secret ${JSON.stringify(name)}. Set it first: toolwright secrets set ${name}`;
  throw misfitAt("/secret", "catalogue_refused", message);
}

export const hooksSubject = defineSubject({
  name: "hooks",
  store: [hooksPort, channelsPort],
  tools: "outbound",
  shell: { hooks: { about: "Manage hooks: addresses whose webhooks an agent answers" } },
  operations: [listHooks, createHook, removeHook],
});
