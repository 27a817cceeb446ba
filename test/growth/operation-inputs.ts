import type { OperationName, OperationTypes } from "@toolwright/engine/operations";
import type { Made } from "./made.ts";

/** Marks a member that holds any JSON: it is grown by the shapes of JSON. */
export const anyMembers = {};

/** What an operation is driven with: an input that names each member that can grow. Texts, lists and JSON in it are grown one at a time. */
interface Driven<Input> {
  readonly base: (made: Made) => Input;
  /** Members whose text the product reads as a language: an expression, a pattern, an address, Markdown. */
  readonly parsed?: readonly string[];
}

/** An operation without an input that could grow, or one that cannot be driven here. */
interface Exempt {
  readonly exempt: string;
}

const none: Exempt = { exempt: "It has no input. What it lists grows with what the other operations made." };
const byId = { base: () => ({ id: "some-id" }) };
const tenantDocument = { version: 1, tools: { ask: ["file_*"], deny: ["exec"] }, network: { hosts: ["example.org"] } };
const owner = "user:ann";
const remembered = { kind: "command", pattern: "git status *" } as const;
const limits = {};
const schema = { type: "object", properties: { name: { type: "string", description: "A name." } }, additionalProperties: false };

/** Every operation. The compiler names one that is missing. */
export const operationInputs: { readonly [Name in OperationName]: Driven<OperationTypes[Name]["input"]> | Exempt } = {
  "tools.list": none,
  "tools.search": { base: () => ({ query: "read a file" }) },
  "tools.get": { base: () => ({ name: "file_read" }) },
  "tools.schema": { base: () => ({ name: "file_read", target: "openai" }) },
  "tools.survey": { base: () => ({ agent: "helper", tool: "file_read" }) },
  "tools.inspect": { base: () => ({ tool: "file_read" }) },
  "tools.own": none,
  "tools.put": {
    base: () => ({
      ...{ tool: "own_tool", group: "own", description: "Does something.", title: "Own", permission: "own:use", execution: anyMembers },
      ...{ inputSchema: schema, outputSchema: schema, visibility: { feature: "own" }, limits },
    }),
  },
  "tools.remove": { base: () => ({ tool: "own_tool" }) },
  "tools.versions": { base: () => ({ tool: "own_tool" }) },
  "approvals.list": none,
  "approvals.get": byId,
  "approvals.answer": { base: ({ approval }) => ({ id: approval, outcome: { kind: "edit", input: anyMembers } }) },
  "approvals.why": byId,
  "approvals.preview": byId,
  "approvals.propose": byId,
  "grants.list": none,
  "grants.create": { base: () => ({ tool: "exec", allows: [remembered], agent: "helper", scope: "agent" }), parsed: ["pattern"] },
  "grants.revoke": byId,
  "principals.current": none,
  "runs.list": {
    base: () => ({ tool: "exec", agent: "helper", source: "cli", user: "x", door: "rest", parent: "x", after: "x" }),
  },
  "runs.get": byId,
  "runs.why": byId,
  "usage.get": { base: () => ({ by: "tool", since: 0, tool: "exec", agent: "helper" }) },
  "usage.models": { base: () => ({ by: "model", since: 0, agent: "helper", model: "x/y" }) },
  "usage.limits": none,
  "sessions.list": { base: () => ({ owner, agent: "helper", kind: "chat", after: "x" }) },
  "sessions.get": byId,
  "sessions.create": { base: () => ({ name: "some-name", kind: "chat", title: "Title", agent: "helper" }) },
  "sessions.update": { base: ({ session }) => ({ id: session, title: "Title" }) },
  "sessions.share": { base: ({ session }) => ({ id: session, with: "bob" }) },
  "sessions.unshare": { base: ({ session }) => ({ id: session, with: "bob" }) },
  "turns.list": { base: () => ({ conversation: "x", agent: "helper", states: ["done"] }) },
  "turns.get": byId,
  "turns.watch": byId,
  "turns.cancel": { base: () => ({ id: "some-id", reason: "Because." }) },
  "messages.list": { base: () => ({ conversation: "chat-1" }) },
  "rooms.list": none,
  "rooms.get": byId,
  "rooms.create": { base: () => ({ title: "Room", agent: "helper", people: ["ann"] }) },
  "rooms.update": { base: ({ room }) => ({ id: room, title: "Room", people: ["ann"] }) },
  "rooms.post": { base: ({ room }) => ({ id: room, message: "Hello." }) },
  "rooms.resolve": { base: ({ room }) => ({ id: room, event: 1, outcome: "Done." }) },
  "rooms.delete": byId,
  "browsers.list": none,
  "browsers.view": { base: () => ({ session: "some-id" }) },
  "browsers.close": { base: () => ({ session: "some-id" }) },
  "memories.list": { base: () => ({ owner, after: "x" }) },
  "memories.owners": none,
  "memories.show": { base: () => ({ owner, key: "some-key" }) },
  "memories.save": { base: () => ({ owner, key: "some-key", content: "Ann likes tea." }), parsed: ["content"] },
  "memories.import": {
    base: () => ({
      owner,
      items: [{ key: "k", content: "c", category: "core", session: "s", sources: [{ kind: "web", callId: "c", place: "p" }] }],
    }),
  },
  "memories.remove": { base: () => ({ owner, key: "some-key" }) },
  "documents.list": { base: () => ({ collection: "notes", after: "x" }) },
  "documents.show": byId,
  "documents.begin": {
    base: () => ({
      ...{ title: "Title", collection: "notes", source: { kind: "text", place: "here" }, mediaType: "text/plain" },
      ...{ hash: "0".repeat(64), id: "some-id" },
    }),
  },
  "documents.append": { base: ({ upload }) => ({ upload, part: 0, content: "QUJD" }) },
  "documents.finish": { base: () => ({ upload: "some-id" }) },
  "documents.read": byId,
  "documents.search": { base: () => ({ query: "what is it", collection: "notes" }) },
  "documents.remove": byId,
  "events.list": { base: () => ({ session: "some-id", call: "some-id" }) },
  "events.heads": { base: () => ({ session: "some-id" }) },
  "events.verify": { base: () => ({ session: "some-id" }) },
  "changes.watch": { exempt: "A stream without an input." },
  "artifacts.list": { base: () => ({ session: "some-id", call: "some-id" }) },
  "artifacts.get": byId,
  "jobs.list": { base: () => ({ states: ["done"], tool: "x", schedule: "x" }) },
  "jobs.get": byId,
  "jobs.enqueue": {
    base: () => ({
      ...{
        tool: "file_read",
        input: anyMembers,
        session: "s",
        idempotencyKey: "k",
        retry: {},
        dependsOn: ["some-id"],
        allows: [remembered],
      },
    }),
  },
  "jobs.cancel": { base: () => ({ id: "some-id", reason: "Because." }) },
  "jobs.redrive": byId,
  "jobs.remove": byId,
  "schedules.list": none,
  "schedules.create": {
    base: () => ({
      ...{ name: "nightly", tool: "file_read", input: anyMembers, session: "s", retry: {}, missed: { rule: "once" }, allows: [remembered] },
      when: { cron: "0 3 * * *", zone: "Europe/Berlin" },
    }),
    parsed: ["cron"],
  },
  "schedules.pause": { base: () => ({ id: "some-id", paused: true }) },
  "schedules.remove": byId,
  "hooks.list": none,
  "hooks.create": {
    base: () => ({ name: "hook", agent: "helper", channel: "x", target: "https://example.org", credential: "k", secret: "s" }),
  },
  "hooks.remove": { base: () => ({ hook: "some-id" }) },
  "policy.current": none,
  "policy.why": { base: () => ({ tool: "exec", input: { command: "git status" } }), parsed: ["command"] },
  "policy.lint": { base: () => ({ document: tenantDocument }) },
  "policy.simulate": { base: () => ({ document: tenantDocument, agent: "helper", tool: "exec" }) },
  "policy.schema": none,
  "policy.test": { base: () => ({ document: tenantDocument }) },
  "policy.platform": none,
  "policy.versions": { exempt: "Its input is two numbers." },
  "policy.diff": { exempt: "Its input is two numbers. What it compares grows by policy.put." },
  "policy.put": { base: () => ({ document: tenantDocument, read: 0, note: "Why." }) },
  "policy.revert": { base: () => ({ revision: 1, read: 1, note: "Why." }) },
  "agents.list": none,
  "agents.get": { base: () => ({ agent: "helper" }) },
  "agents.create": {
    base: () => ({
      ...{ agent: "another", name: "Another", features: anyMembers, instructions: "Help.", model: "x/y", limits, tools: ["file_read"] },
    }),
  },
  "agents.update": {
    base: () => ({ agent: "helper", name: "Helper", features: anyMembers, instructions: "Help.", model: "x/y", limits }),
  },
  "agents.belongings": { base: () => ({ agent: "helper" }) },
  "agents.remove": { base: () => ({ agent: "nobody" }) },
  "enablement.list": { base: () => ({ agent: "helper" }) },
  "enablement.set": { base: () => ({ agent: "helper", tools: ["file_read"], enabled: true }) },
  "skills.list": none,
  "skills.get": { base: () => ({ skill: "tidy" }) },
  "skills.create": { base: () => ({ skill: "another", title: "Another", instructions: "Do.", tools: ["file_read"] }) },
  "skills.update": { base: () => ({ skill: "tidy", title: "Tidy", instructions: "Do.", tools: ["file_read"] }) },
  "skills.remove": { base: () => ({ skill: "nothing" }) },
  "skills.assign": { base: () => ({ skill: "tidy", agent: "helper", enabled: true }) },
  "overrides.list": none,
  "overrides.set": {
    base: () => ({ tool: "file_read", title: "Read", description: "Reads.", visibility: { feature: "f" }, limits }),
  },
  "overrides.update": {
    base: () => ({
      ...{ tool: "file_read", title: "Read", description: "Reads.", visibility: { feature: "f" }, limits, clear: ["title"] as const },
    }),
  },
  "overrides.remove": { base: () => ({ tool: "nothing" }) },
  "secrets.list": none,
  "secrets.set": {
    base: () => ({ name: "api-key", agent: "helper", value: "value", hosts: ["example.org"], header: "x-key", user: "ann" }),
  },
  "secrets.remove": { base: () => ({ name: "nothing", agent: "helper" }) },
  "users.list": none,
  "users.invite": { base: () => ({ email: "ann@example.org", role: "member" }) },
  "users.invitations": none,
  "users.update": { base: () => ({ who: "ann@example.org", role: "member" }) },
  "users.remove": { base: () => ({ who: "nobody@example.org" }) },
  "roles.list": none,
  "roles.set": { base: () => ({ role: "reader", permissions: ["log:read"] }) },
  "roles.remove": { base: () => ({ role: "nothing" }) },
  "keys.list": none,
  "keys.create": { base: () => ({ name: "key", permissions: ["log:read"], agent: "helper", user: "ann" }) },
  "keys.revoke": byId,
  "tenants.list": none,
  "tenants.create": { base: () => ({ tenant: "acme", name: "Acme" }) },
  "tenants.suspend": { base: () => ({ tenant: "nobody" }) },
  "tenants.resume": { base: () => ({ tenant: "nobody" }) },
  "doctor.check": none,
  "models.list": { base: () => ({ agent: "helper" }) },
  "models.test": { base: () => ({ model: "x/y", agent: "helper" }) },
};
