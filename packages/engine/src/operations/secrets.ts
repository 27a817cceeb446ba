import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SECRETS } from "../contract/permissions.ts";
import {
  type BindingChoice,
  notASecretName,
  type SecretAdmin,
  type SecretName,
  secretNameForm,
  secretsPort,
} from "../ports/secret-admin.ts";
import type { SecretStore } from "../ports/secret-store.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf, time } from "./json-parts.ts";
import { secretRemovedView, secretsView } from "./views/secrets.ts";

const managed = { permission: MANAGE_SECRETS, onlyPeople: true, needs: [secretsPort] } as const;
const needs = "Needs a person with the permission secrets:manage.";

const entry = z.object({
  tenant: z.string(),
  agent: z.string().optional(),
  name: z.string(),
  generation: z.string(),
  keyId: z.string().optional().describe("The key that it is sealed with"),
  origins: z.array(z.string()),
  header: z.string().optional(),
  user: z.string().optional(),
  createdAt: time("When it was first set"),
  changedAt: time("When it was last set"),
  lastUsedAt: time("When a tool last got it, at most a minute behind; absent before the first use").optional(),
  lastUsedBy: z.string().optional().describe("The tool that got it then"),
});

const named = {
  // Checked before the log has it: a value may have been written in its place.
  name: z.string().regex(secretNameForm, notASecretName).describe("A letter, then letters, digits, _ . and -"),
  agent: z.string().optional().describe("Left out for a secret of the whole tenant"),
};

export const listSecrets = defineOperation({
  name: "secrets.list",
  at: "GET /secrets",
  title: "List secrets",
  description: `Lists names of secrets, where they may be sent and which tool used them last; never a value. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(entry),
  shell: { form: "secrets list", about: "List names, owners, hosts and dates; never values", store: true },
  view: secretsView,
  run: async (_, { principal, ports }) => ({ items: await ports.secrets.list(principal.tenant) }),
});

export const setSecret = defineOperation({
  name: "secrets.set",
  at: "PUT /secrets/{name}",
  title: "Set a secret",
  description: `Sets a secret, or replaces its value and where it may be sent. A value can be used and never read. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({
    ...named,
    value: z.string(),
    hosts: z
      .array(z.string())
      .optional()
      .describe("Where it may be sent by name, such as api.github.com; without hosts, header and user, as before"),
    header: z.string().optional(),
    user: z.string().optional(),
  }),
  secret: ["value"],
  output: entry,
  async run({ name, agent, value, hosts, header, user }, { principal: { tenant }, parts, ports }) {
    const secret = { tenant, agent, name };
    const says = [hosts, header, user].some((each) => each !== undefined);
    const kept = says ? undefined : await findBinding(secret, ports.secrets, parts.secrets);
    return ports.secrets.set(secret, value, kept ?? { hosts: hosts ?? [], header, user });
  },
});

/** Where it is sent now, so that a new value goes where the old one went. It is opened for that: hosts that were tampered with are not kept. */
async function findBinding(
  { tenant, agent, name }: SecretName,
  admin: Pick<SecretAdmin, "list">,
  store: Pick<SecretStore, "getBound">,
): Promise<BindingChoice | undefined> {
  const entry = (await admin.list(tenant)).find((each) => each.name === name && each.agent === agent);
  if (!entry || entry.origins.length === 0) return undefined;
  const bound = await store.getBound(tenant, name, agent).catch((cause: unknown) => {
    if (!ToolwrightError.is(cause) || cause.code !== "secret_unreadable") throw cause;
    const message = `${cause.message} Its hosts are not kept unread: give them again, or an empty list.`;
    throw new ToolwrightError("secret_unreadable", message, { cause });
  });
  return bound && { hosts: bound.origins, header: bound.header, user: bound.user };
}

export const removeSecret = defineOperation({
  name: "secrets.remove",
  at: "DELETE /secrets/{name}",
  title: "Remove a secret",
  description: `Removes a secret: tools that need it fail. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object(named),
  output: z.object({ removed: z.string() }),
  shell: {
    form: "secrets remove <name>",
    about: "Remove a secret",
    options: { agent: { flags: "--agent <id>", about: "the secret of this agent" } },
    store: true,
    missing: "See them with: toolwright secrets list{where}",
  },
  view: secretRemovedView,
  async run({ name, agent }, { principal: { tenant }, ports }) {
    if (await ports.secrets.remove({ tenant, agent, name })) return { removed: name };
    throw new ToolwrightError("secret_missing", `There is no secret ${JSON.stringify(name)} here. List the secrets.`);
  },
});

export const secretsSubject = defineSubject({
  name: "secrets",
  permissions: [{ name: MANAGE_SECRETS, about: "set and remove secrets, which nobody can read" }],
  shell: { secrets: { about: "Manage the secrets of tools" } },
  operations: [listSecrets, setSecret, removeSecret],
});
