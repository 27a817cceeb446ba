import { expect, it } from "vitest";
import { z } from "zod";
import { MANAGE_POLICY, MANAGE_TENANTS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryRunReader } from "../memory/run-reader.ts";
import { systemClock } from "../ports/clock.ts";
import type { MachineReport } from "../ports/machine-inspector.ts";
import { defineTool } from "../tool/define-tool.ts";
import { ownSubjects } from "./join-subjects.ts";

const person = (permissions: readonly string[], tenant = "acme"): Principal => ({
  ...{ tenant, actor: { kind: "user", id: "ann" }, permissions, door: "rest" },
});

const toolOf = (name: string) =>
  defineTool({
    name,
    description: "Does something that changes things.",
    input: z.object({ euros: z.int() }),
    output: z.object({}),
    effects: { destructive: true },
    run: () => ({}),
  });

async function open() {
  const events = createMemoryEventLog();
  const administration = { runs: createMemoryRunReader(events) };
  let now = 0;
  // One call after the other, also within a millisecond.
  const clock = { ...systemClock, now: () => ++now };
  const engine = createEngine({ tools: [toolOf("pay"), toolOf("mail")], policy: "full", clock, events, administration });
  for (const tenant of ["acme", "other"])
    for (const [tool, euros] of [["pay", 1] as const, ["mail", 2] as const, ["pay", 3] as const])
      await engine.scope(person([], tenant), { session: "s1" }).invokeNamed(tool, { euros });
  return engine;
}

it("a draft of a policy is answered with the recorded calls of the tenant that would go differently, and nothing changes", async () => {
  const { operate } = await open();
  const ann = person([MANAGE_POLICY]);
  const found = await operate(ann, "policy.simulate", { document: { tools: { deny: ["pay"] } } });
  expect(found).toMatchObject({ calls: 3, changes: { "allow to deny": 2 }, leftOut: [], redacted: 0 });
  expect(found.items).toMatchObject([
    { tool: "pay", input: { euros: 3 }, before: { effect: "allow" }, after: { effect: "deny", rule: "tenant.tools.deny[0]" } },
    { tool: "pay", input: { euros: 1 }, before: { effect: "allow" }, after: { effect: "deny" } },
  ]);
  expect((await ownSubjects.load("policy.simulate")).output.parse(JSON.parse(JSON.stringify(found)))).toMatchObject({ ok: true });
  expect((await operate(ann, "policy.current", {})).revision).toBe(0);
  expect(await operate(ann, "policy.simulate", { document: { tools: { deny: ["pay"] } }, limit: 1 })).toMatchObject({ calls: 1 });
  expect(await operate(ann, "policy.simulate", { document: {} })).toMatchObject({ calls: 3, items: [] });
});

it("calls after foreign content are decided as such, those before it are not", async () => {
  const { operate, register, scope } = await open();
  const letter = {
    name: "letter",
    description: "Reads.",
    input: z.object({}),
    output: z.object({}),
    foreign: { kind: "document" },
    run: () => ({}),
  } as const;
  register([defineTool(letter)]);
  const session = scope(person([]), { session: "s1" });
  await session.invokeNamed("letter", {});
  await session.invokeNamed("pay", { euros: 5 });
  const found = await operate(person([MANAGE_POLICY]), "policy.simulate", { document: { after_foreign: { pay: "ask" } } });
  expect(found).toMatchObject({ calls: 5, changes: { "allow to ask": 1 } });
  expect(found.items).toMatchObject([{ input: { euros: 5 }, after: { effect: "ask", rule: "tenant.after_foreign.pay" } }]);
});

it("what is in force counts as before, and a draft that is not valid is refused", async () => {
  const { operate } = await open();
  const ann = person([MANAGE_POLICY]);
  await operate(ann, "policy.put", { document: { tools: { deny: ["pay"] } }, read: 0, note: "No payments" });
  expect(await operate(ann, "policy.simulate", { document: {} })).toMatchObject({ changes: { "deny to allow": 2 } });
  await expect(operate(ann, "policy.simulate", { document: { tols: {} } })).rejects.toMatchObject({ code: "policy_invalid" });
  await expect(operate(person([]), "policy.simulate", { document: {} })).rejects.toMatchObject({ code: "operation_not_allowed" });
});

it("the machine is told to whoever runs the server, and to nobody of a tenant", async () => {
  const report: MachineReport = {
    ...{ version: "1.0.0", node: "24.0.0", platform: "linux x64" },
    checks: [{ name: "ripgrep", state: "missing", detail: "Searching in files is refused.", remedy: "apt-get install ripgrep" }],
    runtimes: [{ name: "host", isolation: "none", networks: ["host"], available: true, detail: "Always.", limits: {} }],
  };
  const { operate } = createEngine({ administration: { machine: { examine: async () => report } } });
  expect(await operate(person([MANAGE_TENANTS]), "doctor.check", {})).toEqual(report);
  expect((await ownSubjects.load("doctor.check")).output.parse(report)).toEqual({ ok: true, value: report });
  await expect(operate(person([MANAGE_POLICY]), "doctor.check", {})).rejects.toMatchObject({ code: "operation_not_allowed" });
  await expect(createEngine().operate(person([MANAGE_TENANTS]), "doctor.check", {})).rejects.toMatchObject({
    code: "operation_unavailable",
  });
});
