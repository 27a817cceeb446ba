import { type AnyTool, type CallResult, createEngine, defineTool, type Engine, type Json, type Principal } from "@toolwright/engine";
import {
  createMemoryApprovalStore,
  createMemoryCallTree,
  createMemoryEventLog,
  createMemoryIdempotencyStore,
  systemClock,
} from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { z } from "zod";
import { codeCapability, codeRun } from "../index.ts";

// Tools that programs call and that say what ran, for tests.

const ann: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: ["code.tenant.run", "approvals:answer"],
  door: "cli",
  interactive: true,
};
const value = z.object({ value: z.string() });

/** What ran, in order. */
export const ran: string[] = [];
export const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: "Notes that it ran, for tests.",
    input: value,
    output: value,
    effects: { destructive: true },
    run({ value }: { value: string }) {
      ran.push(`${name} ${value}`);
      return { value: `${name} ${value}` };
    },
    ...more,
  } as never) as AnyTool;
export const say = tool("say");
export const ask = tool("ask", { approval: "always_ask" });

const engines: Engine[] = [];
export const closeEngines = () => Promise.all(engines.splice(0).map((engine) => engine.close()));

/** What outlives engines, as a database does. */
export function openStores() {
  const approvals = createMemoryApprovalStore();
  const clock = createManualClock();
  const stores = {
    ...{ approvals, clock, callTree: createMemoryCallTree({ approvals }), events: createMemoryEventLog() },
    idempotency: createMemoryIdempotencyStore(),
  };
  /** A process: with its own code. */
  const start = (tools: readonly AnyTool[], policy: object = { autonomy: "full" }) => {
    const capabilities = [codeCapability({ clock: systemClock })];
    const engine = createEngine({ ...stores, policy: policy as never, capabilities, tools: [codeRun, ...tools] });
    engines.push(engine);
    const scopeOf = (tenant: string) => engine.scope({ ...ann, tenant }, { session: "s1" });
    return { engine, scopeOf, scope: scopeOf(ann.tenant) };
  };
  return { ...stores, start };
}

/** What a program returned, logged and called. */
export function outputOf(result: CallResult) {
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  const { result: text, ...rest } = result.output as { result: string | null; logs: string[]; calls: Json[] };
  return { result: text === null ? null : JSON.parse(text), ...rest };
}
