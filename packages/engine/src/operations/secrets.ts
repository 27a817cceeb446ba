import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SECRETS, MANAGE_TENANTS } from "../contract/permissions.ts";
import { cataloguePort } from "../ports/catalogue-store.ts";
import { type MasterKeys, masterKeysPort } from "../ports/master-keys.ts";
import {
  type BindingChoice,
  notASecretName,
  type SecretAdmin,
  type SecretEntry,
  type SecretName,
  secretNameForm,
  secretsPort,
} from "../ports/secret-admin.ts";
import type { SecretStore } from "../ports/secret-store.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf, time } from "./json-parts.ts";
import { requireAgent } from "./require-agent.ts";
import { keyCheckView, rotationView, secretRemovedView, secretSetView, secretsView } from "./views/secrets.ts";

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
  uses: [cataloguePort, masterKeysPort],
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
  output: entry.extend({
    lost: z.int().optional().describe("Other secrets of the tenant that need a master key that is not at hand, where there are some"),
  }),
  shell: {
    form: "secrets set <name>",
    about: "Set a secret from stdin or a hidden prompt",
    options: {
      agent: { flags: "--agent <id>", about: "for this agent only; takes precedence over the tenant's secret" },
      hosts: {
        flags: "--host <host...>",
        about: "hosts that requests and git may send the secret to, over https: api.github.com, git.example.org:8443",
        no: "remove all hosts; without --host and --no-host the hosts stay as they are",
      },
      header: { flags: "--header <name>", about: "send the plain value in this header (default: authorization, as a bearer token)" },
      user: { flags: "--user <name>", about: "send the value as the password of this user (default for git: x-access-token)" },
    },
    store: true,
    here: true,
    hints: { secret_unreadable: "On the command line, name them with --host, or say --no-host." },
    examples: ["secrets set GITHUB_TOKEN --host github.com api.github.com", "secrets set GITHUB_TOKEN --agent coder < token.txt"],
  },
  view: secretSetView,
  async run({ name, agent, value, hosts, header, user }, context) {
    const { principal, parts, ports } = context;
    const { tenant } = principal;
    const secret = { tenant, agent, name };
    if (agent !== undefined) await requireAgent(agent, context);
    const says = [hosts, header, user].some((each) => each !== undefined);
    const kept = says ? undefined : await findBinding(secret, ports.secrets, parts.secrets);
    const set = await ports.secrets.set(secret, value, kept ?? { hosts: hosts ?? [], header, user });
    const lost = await countLost(set, ports);
    return { ...set, ...(lost > 0 && { lost }) };
  },
});

interface SealedSecrets {
  readonly secrets: Pick<SecretAdmin, "list">;
  readonly masterKeys?: Pick<MasterKeys, "isKnown"> | undefined;
}

/** How many secrets of the tenant need a key that is not at hand. */
async function countLost({ tenant, keyId: current }: SecretEntry, { secrets, masterKeys }: SealedSecrets): Promise<number> {
  if (!masterKeys) return 0;
  const keys = (await secrets.list(tenant)).flatMap(({ keyId }) => keyId ?? []);
  return keys.filter((keyId) => keyId !== current && !masterKeys.isKnown(keyId)).length;
}

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

const kept = { permission: MANAGE_TENANTS, onlyPeople: true, needs: [masterKeysPort] } as const;
const needsOperator = "Needs whoever runs the server, with the permission tenants:manage.";
// Keys in the environment are those of whoever types the command.
const keyShell = { store: true, here: true, tenantless: true } as const;

const place = z.string().describe("Where the master keys come from: a file, or a variable of the environment");
const unreadable = z
  .array(z.object({ tenant: z.string(), agent: z.string().optional(), name: z.string(), reason: z.string() }))
  .describe("Secrets that cannot be read with the keys at hand, and what to do");

const rotateSecrets = defineOperation({
  name: "secrets.rotate",
  at: "POST /master-keys/rotate",
  title: "Rotate secrets",
  description: `Brings the secrets of all tenants under the current master key, while they are in use. ${needsOperator}`,
  ...kept,
  effect: "write",
  input: z.object({ newKey: z.boolean().optional().describe("Make a new master key first") }),
  output: z.object({
    place,
    keyId: z.string().describe("Of the key that all of them need now"),
    rewrapped: z.int().describe("Secrets that came under it"),
    unreadable,
  }),
  shell: {
    form: "secrets rotate",
    about: "Re-encrypt all secrets under the current master key, also while they are in use",
    ...keyShell,
  },
  view: rotationView,
  async run({ newKey = false }, { ports: { masterKeys } }) {
    if (newKey) masterKeys.addKey();
    return { place: masterKeys.place, ...(await masterKeys.rotate()) };
  },
});

const checkSecrets = defineOperation({
  name: "secrets.check",
  at: "GET /master-keys",
  title: "Check secrets",
  description: `Tries to read the secrets of all tenants, and says which master keys are needed; shows no value. ${needsOperator}`,
  ...kept,
  effect: "read",
  input: z.object({}),
  output: z.object({
    place,
    currentKeyId: z.string().describe("Of the key that encrypts; none while there is no key"),
    needed: z.array(
      z.object({
        keyId: z.string(),
        secrets: z.int().describe("Secrets, and keys of tenants, that need it"),
        isCurrent: z.boolean(),
        isKnown: z.boolean().describe("False: it has to be given, or those secrets are lost"),
      }),
    ),
    unreadable,
  }),
  shell: { form: "secrets check", about: "Decrypt every secret and report which master keys are needed", ...keyShell },
  view: keyCheckView,
  run: async (_, { ports: { masterKeys } }) => ({ place: masterKeys.place, ...(await masterKeys.check()) }),
});

export const secretsSubject = defineSubject({
  name: "secrets",
  permissions: [{ name: MANAGE_SECRETS, about: "set and remove secrets, which nobody can read" }],
  errors: {
    secret_missing: { kind: "failed", means: "A secret that the tool declares is not configured." },
    secret_unreadable: { kind: "broken", means: "A secret is stored, but cannot be decrypted with the keys at hand." },
  },
  store: [secretsPort, masterKeysPort],
  shell: { secrets: { about: "Manage the secrets of tools" } },
  operations: [listSecrets, setSecret, removeSecret, rotateSecrets, checkSecrets],
});
