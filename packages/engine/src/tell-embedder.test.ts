import { expect, test } from "vitest";
import { z } from "zod";
import type { Principal } from "./contract/principal.ts";
import { createEngine } from "./engine.ts";
import type { EngineOptions } from "./engine-types.ts";
import { defineTool } from "./tool/define-tool.ts";

const refund = defineTool({
  name: "refund",
  description: "Pay money back.",
  input: z.object({ euros: z.number() }),
  output: z.object({ paid: z.number() }),
  effects: { destructive: true },
  run: ({ euros }) => ({ paid: euros }),
});
const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, permissions: [], door: "mcp" };
const person: Principal = { ...agent, actor: { kind: "user", id: "ann" }, permissions: ["approvals:answer"], interactive: true };

async function refundOnce(options: Pick<EngineOptions, "onApproval" | "onEvent" | "logger">) {
  const engine = createEngine({ tools: [refund], policy: { ask: ["refund"] }, ...options });
  const scope = engine.scope(agent, { session: "s1" });
  const asked = await scope.invoke("refund", { euros: 5 });
  if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
  await engine.scope(person, { session: "inbox" }).answer(asked.approval.id, { kind: "approve" });
  return { approval: asked.approval.id, done: await scope.resume(asked.approval.id) };
}

test("an embedder hears of each approval and each event", async () => {
  const approvals: string[] = [];
  const events: string[] = [];
  const { approval, done } = await refundOnce({ onApproval: ({ id }) => approvals.push(id), onEvent: ({ type }) => events.push(type) });
  expect(done).toMatchObject({ status: "done", output: { paid: 5 } });
  expect(approvals).toEqual([approval]);
  const ofAnswer = ["admin.started", "admin.completed"];
  expect(events).toEqual(["tool.needs_approval", ...ofAnswer, "tool.approved", "tool.started", "tool.completed"]);
});

test("a listener that throws or rejects is logged, and the call goes on", async () => {
  const lines: string[] = [];
  const { done } = await refundOnce({
    onApproval: () => Promise.reject(new Error("no mail")),
    onEvent: () => {
      throw new Error("no room");
    },
    logger: { log: (_level, message) => void lines.push(message) },
  });
  expect(done.status).toBe("done");
  expect(lines).toContain("The listener onApproval of createEngine failed: no mail");
  expect(lines).toContain("The listener onEvent of createEngine failed: no room");
});
