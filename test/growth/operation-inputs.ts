import type { Operation, OperationName, OperationTypes } from "@toolwright/engine/operations";
import { sampleObject } from "../integration/two-tenants/sample-input.ts";
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
const tenantDocument = { version: 1, tools: { ask: ["file_*"], deny: ["exec"] }, network: { hosts: ["example.org"] } };
const owner = "user:ann";
const remembered = { kind: "command", pattern: "git status *" } as const;
const limits = {};
const schema = { type: "object", properties: { name: { type: "string", description: "A name." } }, additionalProperties: false };

/** Operations that a sample of their schema does not drive far enough, or that cannot be driven. */
export const operationInputs: { readonly [Name in OperationName]?: Driven<OperationTypes[Name]["input"]> | Exempt } = {
  "tools.search": { base: () => ({ query: "read a file" }) },
  "tools.get": { base: () => ({ name: "file_read" }) },
  "tools.schema": { base: () => ({ name: "file_read", target: "openai" }) },
  "tools.report": { base: () => ({ name: "file_read", target: "openai" }) },
  "tools.survey": { base: () => ({ agent: "helper", tool: "file_read" }) },
  "tools.put": {
    base: () => ({
      ...{ tool: "own_tool", group: "own", description: "Does something.", title: "Own", permission: "own:use", execution: anyMembers },
      ...{ inputSchema: schema, outputSchema: schema, visibility: { feature: "own" }, limits },
    }),
  },
  "tools.remove": { base: () => ({ tool: "own_tool" }) },
  "tools.versions": { base: () => ({ tool: "own_tool" }) },
  "approvals.answer": { base: ({ approval }) => ({ id: approval, outcome: { kind: "edit", input: anyMembers } }) },
  "grants.create": { base: () => ({ tool: "exec", allows: [remembered], agent: "helper", scope: "agent" }), parsed: ["pattern"] },
  "runs.list": {
    base: () => ({ tool: "exec", agent: "helper", source: "cli", user: "x", door: "rest", parent: "x", after: "x" }),
  },
  "usage.get": { base: () => ({ by: "tool", since: 0, tool: "exec", agent: "helper" }) },
  "usage.models": { base: () => ({ by: "model", since: 0, agent: "helper", model: "x/y" }) },
  "sessions.list": { base: () => ({ owner, agent: "helper", kind: "chat", after: "x" }) },
  "sessions.create": { base: () => ({ name: "some-name", kind: "chat", title: "Title", agent: "helper" }) },
  "sessions.update": { base: ({ session }) => ({ id: session, title: "Title" }) },
  "sessions.share": { base: ({ session }) => ({ id: session, with: "bob" }) },
  "sessions.unshare": { base: ({ session }) => ({ id: session, with: "bob" }) },
  "turns.list": { base: () => ({ conversation: "x", agent: "helper", states: ["done"] }) },
  "turns.cancel": { base: () => ({ id: "some-id", reason: "Because." }) },
  "messages.list": { base: () => ({ conversation: "chat-1" }) },
  "rooms.create": { base: () => ({ title: "Room", agent: "helper", people: ["ann"] }) },
  "rooms.update": { base: ({ room }) => ({ id: room, title: "Room", people: ["ann"] }) },
  "rooms.post": { base: ({ room }) => ({ id: room, message: "Hello." }) },
  "rooms.resolve": { base: ({ room }) => ({ id: room, event: 1, outcome: "Done." }) },
  "browsers.view": { base: () => ({ session: "some-id" }) },
  "browsers.close": { base: () => ({ session: "some-id" }) },
  "memories.list": { base: () => ({ owner, after: "x" }) },
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
  "documents.begin": {
    base: () => ({
      ...{ title: "Title", collection: "notes", source: { kind: "text", place: "here" }, mediaType: "text/plain" },
      ...{ hash: "0".repeat(64), id: "some-id" },
    }),
  },
  "documents.append": { base: ({ upload }) => ({ upload, part: 0, content: "QUJD" }) },
  "documents.finish": { base: () => ({ upload: "some-id" }) },
  "documents.search": { base: () => ({ query: "what is it", collection: "notes" }) },
  "events.list": { base: () => ({ session: "some-id", call: "some-id" }) },
  "events.heads": { base: () => ({ session: "some-id" }) },
  "events.verify": { base: () => ({ session: "some-id" }) },
  "changes.watch": { exempt: "A stream without an input." },
  "events.watch": { base: () => ({ session: "some-id" }) },
  "artifacts.list": { base: () => ({ session: "some-id", call: "some-id" }) },
  "jobs.list": { base: () => ({ states: ["done"], tool: "x", schedule: "x" }) },
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
  "schedules.create": {
    base: () => ({
      ...{ name: "nightly", tool: "file_read", input: anyMembers, session: "s", retry: {}, missed: { rule: "once" }, allows: [remembered] },
      when: { cron: "0 3 * * *", zone: "Europe/Berlin" },
    }),
    parsed: ["cron"],
  },
  "schedules.pause": { base: () => ({ id: "some-id", paused: true }) },
  "hooks.create": {
    base: () => ({ name: "hook", agent: "helper", channel: "x", target: "https://example.org", credential: "k", secret: "s" }),
  },
  "hooks.remove": { base: () => ({ hook: "some-id" }) },
  "policy.why": { base: () => ({ tool: "exec", input: { command: "git status" }, agent: "some-id" }), parsed: ["command"] },
  "policy.lint": { base: () => ({ document: tenantDocument }) },
  "policy.simulate": { base: () => ({ document: tenantDocument, agent: "helper", tool: "exec" }) },
  "policy.check": { base: () => ({ document: tenantDocument }) },
  "policy.export": { base: () => ({ document: tenantDocument, target: "codex" }) },
  "policy.test": { base: () => ({ document: tenantDocument }) },
  "policy.versions": { exempt: "Its input is two numbers." },
  "policy.diff": { exempt: "Its input is two numbers. What it compares grows by policy.put." },
  "policy.put": { base: () => ({ document: tenantDocument, read: 0, note: "Why." }) },
  "policy.revert": { base: () => ({ revision: 1, read: 1, note: "Why." }) },
  "agents.get": { base: () => ({ agent: "helper" }) },
  "agents.create": {
    base: () => ({
      ...{ agent: "another", name: "Another", features: anyMembers, instructions: "Help.", model: "x/y", limits, tools: ["file_read"] },
    }),
  },
  "agents.update": {
    base: () => ({
      agent: "helper",
      name: "Helper",
      features: anyMembers,
      instructions: "Help.",
      model: "x/y",
      limits,
      clear: ["cost"] as const,
    }),
  },
  "agents.apply": {
    base: () => ({
      agents: [
        {
          ...{ id: "helper", name: "Helper", features: anyMembers, instructions: "Help.", model: "x/y", limits, skills: ["tidy"] },
          tools: { allow: ["file_read"], deny: ["exec"], ask: ["file_write"] },
        },
      ],
      note: "Why.",
    }),
  },
  "agents.belongings": { base: () => ({ agent: "helper" }) },
  "agents.remove": { base: () => ({ agent: "nobody" }) },
  "enablement.list": { base: () => ({ agent: "helper" }) },
  "enablement.set": { base: () => ({ agent: "helper", tools: ["file_read"], enabled: true }) },
  "skills.get": { base: () => ({ skill: "tidy" }) },
  "skills.create": { base: () => ({ skill: "another", title: "Another", instructions: "Do.", tools: ["file_read"] }) },
  "skills.update": { base: () => ({ skill: "tidy", title: "Tidy", instructions: "Do.", tools: ["file_read"] }) },
  "skills.remove": { base: () => ({ skill: "nothing" }) },
  "skills.assign": { base: () => ({ skill: "tidy", agent: "helper", enabled: true }) },
  "overrides.set": {
    base: () => ({ tool: "file_read", title: "Read", description: "Reads.", visibility: { feature: "f" }, limits }),
  },
  "overrides.update": {
    base: () => ({
      ...{ tool: "file_read", title: "Read", description: "Reads.", visibility: { feature: "f" }, limits, clear: ["title"] as const },
    }),
  },
  "overrides.remove": { base: () => ({ tool: "nothing" }) },
  "secrets.set": {
    base: () => ({ name: "api-key", agent: "helper", value: "value", hosts: ["example.org"], header: "x-key", user: "ann" }),
  },
  "secrets.remove": { base: () => ({ name: "nothing", agent: "helper" }) },
  "users.invite": { base: () => ({ email: "ann@example.org", role: "member" }) },
  "users.update": { base: () => ({ who: "ann@example.org", role: "member" }) },
  "users.remove": { base: () => ({ who: "nobody@example.org" }) },
  "roles.set": { base: () => ({ role: "reader", permissions: ["log:read"] }) },
  "roles.remove": { base: () => ({ role: "nothing" }) },
  "keys.create": { base: () => ({ name: "key", permissions: ["log:read"], agent: "helper", user: "ann" }) },
  "events.prune": { base: () => ({ before: 1, tenant: "default", dryRun: true }) },
  "secrets.rotate": { exempt: "Its input says yes or no." },
  "store.tidy": { exempt: "Its input says yes or no." },
  "tenants.create": { base: () => ({ tenant: "acme", name: "Acme" }) },
  "tenants.suspend": { base: () => ({ tenant: "nobody" }) },
  "tenants.resume": { base: () => ({ tenant: "nobody" }) },
  "models.list": { base: () => ({ agent: "helper" }) },
  "models.test": { base: () => ({ model: "x/y", agent: "helper" }) },
};

/** What an operation is driven with: what is written here, else a sample of its schema with all members. */
export function inputOf({ name, input: { json } }: Pick<Operation<OperationName>, "name" | "input">): Driven<object> | Exempt {
  const written = operationInputs[name];
  if (written) return written;
  if (Object.keys(json.properties ?? {}).length === 0) return none;
  return { base: () => sampleObject(json, { text: (member) => (member === "id" ? "some-id" : "x") }) };
}
