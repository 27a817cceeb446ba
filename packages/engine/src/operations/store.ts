import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_TENANTS } from "../contract/permissions.ts";
import { retentionPort } from "../ports/retention-admin.ts";
import { storePort } from "../ports/store-inspector.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { storeReportView, storeView, tidiedView } from "./views/store.ts";

const managed = { permission: MANAGE_TENANTS, onlyPeople: true } as const;
const needs = "Needs whoever runs the server, with the permission tenants:manage.";
const asItIs = { store: "as it is", tenantless: true } as const;

const stopped = z.literal(true).optional().describe("It was stopped before its end");

const names = (description: string) => z.array(z.string()).describe(description);

const describeStore = defineOperation({
  name: "store.describe",
  at: "GET /store",
  title: "Describe the store",
  description: `Says what the database of the store is, and whether it fits this version; changes nothing. ${needs}`,
  ...managed,
  needs: [storePort],
  effect: "read",
  input: z.object({}),
  output: z.object({
    kind: z.enum(["embedded", "server"]),
    place: z.string().describe("Its folder, or the address of its server"),
    version: z.string().describe("Of PostgreSQL"),
    bytes: z.int(),
    clockGapMs: z.int().describe("Milliseconds that the server's clock is ahead of the database's, or behind it (negative)"),
    fits: z.boolean().describe("False where this version cannot work with it as it stands"),
    migrations: z.object({
      applied: names("Oldest first"),
      pending: names("Of this version, not applied yet"),
      unknown: names("Of a newer version"),
      changed: names("Applied with another text than this version has"),
    }),
  }),
  shell: { form: "db status", about: "Show the store and whether its version fits", ...asItIs },
  view: storeView,
  async run(_, { ports: { store } }) {
    const { kind, ...state } = await store.describe();
    return { kind, place: store.place, ...state };
  },
});

const verifyStore = defineOperation({
  name: "store.verify",
  at: "GET /store/report",
  title: "Verify the store",
  description: `Looks at everything in the store that can be checked without changing it: tables, tenant isolation, every chain of the log. ${needs}`,
  ...managed,
  needs: [storePort],
  effect: "read",
  input: z.object({}),
  output: z.object({
    sessions: z.int(),
    events: z.int().describe("Events that were looked at"),
    problems: names("In sentences; none where all is whole"),
    stopped,
  }),
  shell: { form: "db verify", about: "Check the store: tables, tenant isolation, every chain of the log", ...asItIs },
  view: storeReportView,
  run: (_, { ports, signal }) => ports.store.verify(signal),
});

const tidyStore = defineOperation({
  name: "store.tidy",
  at: "POST /store/tidy",
  title: "Tidy the store",
  description: `Removes records whose retention period has passed, in all tenants, or says how many these are. ${needs}`,
  ...managed,
  needs: [retentionPort],
  effect: "destructive",
  input: z.object({ dryRun: z.boolean().optional().describe("Only report what would be removed") }),
  output: z.object({
    dryRun: z.boolean(),
    removed: z.record(z.string(), z.int()).describe("How many, by what they are"),
    stopped,
  }),
  shell: {
    form: "db tidy",
    about: "Remove records whose retention period has passed",
    store: true,
    here: true,
    tenantless: true,
    notes:
      "Processes that call tools do this once an hour. TOOLWRIGHT_KEEP_DAYS, TOOLWRIGHT_KEEP_LOG_DAYS and TOOLWRIGHT_KEEP_ARTIFACTS_DAYS set the periods.",
  },
  view: tidiedView,
  async run({ dryRun = false }, { ports: { retention }, signal }) {
    if (dryRun) return { dryRun, removed: await retention.preview() };
    const removed = await retention.tidy(signal);
    if (removed) return { dryRun, removed, ...(signal?.aborted && { stopped: true as const }) };
    throw new ToolwrightError("server_unavailable", "Another process is removing old records. Try again in two minutes.");
  },
});

export const storeSubject = defineSubject({
  name: "store",
  errors: {
    store_in_use: { kind: "unavailable", means: "Another process holds the folder of the store." },
    store_unreachable: { kind: "unavailable", means: "The database does not answer now; the same can be tried again." },
    store_outdated: { kind: "unready", means: "The database needs a migration that was not asked for." },
    store_newer: { kind: "unready", means: "The database was made by a newer version than this one." },
    store_failed: { kind: "broken", means: "The database rejected the operation." },
  },
  store: [storePort, retentionPort],
  loops: [{ name: "words", about: "makes the words anew that texts are found by, after they were split by older rules" }],
  shell: { db: { about: "Maintain the store: approvals, log, secrets and all other durable data" } },
  operations: [describeStore, verifyStore, tidyStore],
});
