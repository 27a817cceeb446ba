import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { sharedSessions } from "../../testing/shared-sessions.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const person: Principal = {
  ...{ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [ANSWER_APPROVALS], door: "cli", interactive: true },
};
const finding = { effect: "ask", rule: "default.asked_for", reason: "The call itself asks for an approval." };
const repair = { path: "/approved", what: 'left out "approved": only a person approves a call, so one is asked' };

/** A tool that every policy lets run, which takes `approved` as a wish. */
function setUp(more: { readonly asksOn?: string; readonly members?: z.ZodRawShape } = { asksOn: "approved" }) {
  const run = vi.fn(() => ({ seen: true }));
  const { members, ...definition } = more;
  const tool = defineTool({
    ...definition,
    name: "look",
    description: "Looks at a place.",
    input: z.object({ place: z.string().describe("Where"), ...members }),
    output: z.object({ seen: z.boolean() }),
    run,
  }) as AnyTool;
  const engine = createEngine({ tools: [tool], clock: createManualClock(), sessions: sharedSessions() });
  const as = (principal: Principal) => engine.scope(principal, { session: "s1" });
  return { run, as, call: (input: object, principal = agent) => as(principal).invokeNamed("look", input) };
}

describe("a call that says it is approved", () => {
  it.each([true, "true"])("waits for a person even where the policy asks nobody, and runs once one approved: %j", async (approved) => {
    const { run, as, call } = setUp();
    const asked = await call({ place: "cellar", approved });
    expect(asked).toMatchObject({ status: "pending", repairs: [repair], decision: finding });
    if (asked.status !== "pending") return;
    expect(run).not.toHaveBeenCalled();
    const { id } = asked.approval;
    expect(await as(agent).resume(id)).toMatchObject({ status: "pending" });
    await as(person).answer(id, { kind: "approve" });
    expect(await as(agent).resume(id)).toMatchObject({ status: "done", output: { seen: true } });
    expect(run).toHaveBeenCalledExactlyOnceWith({ place: "cellar" }, expect.anything());
    expect(await call({ place: "cellar", approved })).toMatchObject({ status: "pending" });
  });

  it("goes on with the input that a person edited", async () => {
    const { run, as, call } = setUp();
    const asked = await call({ place: "cellar", approved: true });
    if (asked.status !== "pending") throw new Error(asked.status);
    await as(person).answer(asked.approval.id, { kind: "edit", input: { place: "attic" } });
    expect(await as(agent).resume(asked.approval.id)).toMatchObject({ status: "done" });
    expect(run).toHaveBeenCalledWith({ place: "attic" }, expect.anything());
  });

  it("is denied where nobody is there to be asked, and by a person who says no", async () => {
    const { run, as, call } = setUp();
    expect(await call({ place: "cellar", approved: true }, { ...agent, unattended: true })).toMatchObject({ status: "denied" });
    const asked = await call({ place: "cellar", approved: true });
    if (asked.status !== "pending") throw new Error(asked.status);
    await as(person).answer(asked.approval.id, { kind: "deny" });
    expect(await as(agent).resume(asked.approval.id)).toMatchObject({ status: "denied" });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([false, "false", null])("runs as any other where it says that it is not: %j", async (approved) => {
    const { call } = setUp();
    expect(await call({ place: "cellar", approved })).toMatchObject({
      status: "done",
      repairs: [{ path: "/approved", what: 'left out "approved"' }],
    });
  });

  it("has no such member in the schema that a model reads", () => {
    const { as } = setUp();
    expect(as(agent).find("look")?.inputSchema).not.toHaveProperty("properties.approved");
  });

  it.each<[name: string, ...Parameters<typeof setUp>, unknown]>([
    ["of a tool that does not know it", {}, true],
    ["with something else than a yes or no", { asksOn: "approved" }, "by ann"],
    ["with a list", { asksOn: "approved" }, [true]],
  ])("is refused, as before: %s", async (_name, more, approved) => {
    const { call } = setUp(more);
    expect(await call({ place: "cellar", approved })).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
  });

  it("means what the tool says where its own input has that member", async () => {
    const { run, call } = setUp({ asksOn: "approved", members: { approved: z.boolean().describe("Of the place") } });
    expect(await call({ place: "cellar", approved: true })).toMatchObject({ status: "done", repairs: [] });
    expect(run).toHaveBeenCalledWith({ place: "cellar", approved: true }, expect.anything());
  });
});
