import { z } from "zod";
import type { CallResult } from "../contract/call.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { EngineOptions } from "../engine-types.ts";
import { createMemoryApprovalStore } from "../memory/approval-store.ts";
import { createMemoryCallTree } from "../memory/call-tree.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryIdempotencyStore } from "../memory/idempotency-store.ts";
import type { Tools } from "../ports/tools.ts";
import { type AnyTool, defineTool } from "../tool/define-tool.ts";
import { createManualClock } from "./manual-clock.ts";
import { principal } from "./probe-tool.ts";

// Tools that call each other and say what ran, for tests.

export const ann: Principal = { ...principal, door: "cli", interactive: true };
const text = z.object({ text: z.string() });
const outputs = z.object({ texts: z.array(z.string()) });

/** What ran, in order. */
export const ran: string[] = [];
export const leaf = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: "Notes that it ran, for tests.",
    input: text,
    output: text,
    effects: { destructive: true },
    run({ text }: { text: string }) {
      ran.push(`${name} ${text}`);
      return { text };
    },
    ...more,
  }) as AnyTool;
export const step = leaf("step");
export const ask = leaf("ask", { approval: "always_ask" });
export const composite = (
  run: (tools: Tools, input: { text: string }) => unknown,
  { name = "flow", tools = ["group:custom"], ...more }: { name?: string; tools?: readonly string[]; [more: string]: unknown } = {},
) =>
  defineTool({
    name,
    description: "Calls other tools, for tests.",
    input: text,
    output: outputs,
    effects: { tools },
    run: (input: { text: string }, context: { tools: Tools }) => run(context.tools, input) as never,
    ...more,
  } as never) as AnyTool;
export const textOf = (result: CallResult) => {
  if (result.status === "done") return (result.output as { text: string }).text;
  return result.status === "failed" ? result.error.code : result.status;
};

/** A place that outlives engines, as a database does. */
function makePlace() {
  const approvals = createMemoryApprovalStore();
  const clock = createManualClock();
  const stores = {
    approvals,
    clock,
    callTree: createMemoryCallTree({ approvals }),
    events: createMemoryEventLog(),
    idempotency: createMemoryIdempotencyStore(),
  };
  return {
    ...stores,
    /** A process: with its own code. */
    start: (tools: readonly AnyTool[], more: EngineOptions = {}) =>
      createEngine({ policy: { autonomy: "full" } as never, ...stores, ...more, tools }),
  };
}

export const eventsOf = async (place: ReturnType<typeof makePlace>) =>
  (await place.events.read({ tenant: "acme", session: "s1" })).map(({ event }) => event);

export function setUp(tools: readonly AnyTool[], more: EngineOptions = {}) {
  ran.length = 0;
  const place = makePlace();
  const engine = place.start(tools, more);
  return { place, engine, scope: engine.scope(ann, { session: "s1" }) };
}

/** Five steps, the third asks. */
export const fiveSteps = composite(async (tools) => {
  const texts: string[] = [];
  for (const [index, name] of ["step", "step", "ask", "step", "step"].entries())
    texts.push(textOf(await tools.call(name, { text: `${index + 1}` })));
  return { texts };
});
