import { z } from "zod";
import { MANAGE_TENANTS } from "../contract/permissions.ts";
import { accountsPort } from "../ports/account-admin.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { time } from "./json-parts.ts";
import { accountSessionsView, passwordResetView, signedOutView } from "./views/accounts.ts";

const managed = { permission: MANAGE_TENANTS, onlyPeople: true, needs: [accountsPort] } as const;
const shell = { store: true, tenantless: true } as const;
const needs = "Needs whoever runs the server, with the permission tenants:manage.";

const email = z.string().min(1).describe("The address of the account");

const session = z.object({
  id: z.string(),
  since: time("When the person signed in"),
  lastUsedAt: time("When it was last used"),
  expiresAt: time("Until when it is open"),
  address: z.string().optional().describe("The IP address of the browser"),
  agent: z.string().optional().describe("As the browser calls itself"),
});

const program = z.object({
  client: z.string(),
  name: z.string().describe("As the program calls itself"),
  tenant: z.string(),
  scopes: z.array(z.string()),
  since: time("When the person let it in"),
  lastUsedAt: time("To the minute; absent before the first use").optional(),
});

const listAccountSessions = defineOperation({
  name: "accounts.sessions",
  at: "GET /accounts/{email}/sessions",
  title: "List sign-ins of a person",
  description: `Lists the browsers in which a person is signed in, newest first, and the programs that act for them. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ email }),
  output: z.object({ sessions: z.array(session), programs: z.array(program) }),
  shell: { form: "users sessions <email>", about: "List a person's sign-ins and the programs that act for them", ...shell },
  view: accountSessionsView,
  run: async ({ email: whose }, { ports: { accounts } }) => ({
    sessions: await accounts.listSessions(whose),
    programs: await accounts.listClients(whose),
  }),
});

const resetPassword = defineOperation({
  name: "accounts.reset",
  at: "POST /accounts/{email}/reset",
  status: 201,
  title: "Make a link for a new password",
  description: `Makes a link with which a person sets a new password, and ends an earlier one. The token goes into the link, and is shown this once. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ email }),
  output: z.object({
    email: z.string(),
    token: z.string().describe("Lets anyone who has it set the password, once"),
    expiresAt: time("Until when it is open"),
  }),
  shell: { form: "users reset-password <email>", about: "Print a link to set a new password", ...shell, links: true },
  view: passwordResetView,
  run: ({ email: whose }, { principal, ports }) => ports.accounts.askPasswordReset({ email: whose, by: principal.actor.id }),
});

const signOut = defineOperation({
  name: "accounts.end",
  at: "POST /accounts/{email}/end",
  title: "Sign a person out",
  description: `Ends all sign-ins of a person, and the access of programs that act for them. Keys stay. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ email }),
  output: z.object({
    sessions: z.int().describe("Browsers that were signed in"),
    clients: z.int().describe("Programs that acted for the person"),
  }),
  shell: { form: "users sign-out <email>", about: "End a person's sign-ins and the access of their programs", ...shell },
  view: signedOutView,
  run: ({ email: whose }, { ports }) => ports.accounts.signOut(whose),
});

export const accountsSubject = defineSubject({
  name: "accounts",
  store: [accountsPort],
  operations: [listAccountSessions, resetPassword, signOut],
});
