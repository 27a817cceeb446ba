import type { LanguageModelV4 } from "@ai-sdk/provider";
import { agentsCapability, agentTools, type ModelSource } from "@toolwright/agents";
import { toAISDK, toModelOutput } from "@toolwright/doors/ai-sdk";
import { createEngine, defaultPolicy, defineTool, type Engine } from "@toolwright/engine";
import {
  createMemoryApprovalStore,
  createMemoryArtifactStore,
  createMemoryCallTree,
  createMemoryEventLog,
  createMemoryIdempotencyStore,
  createMemorySessionStore,
  createMemoryTurnStream,
  createMemoryTurns,
  createRandomIds,
  silentLogger,
  systemClock,
} from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { z } from "zod";

/** What turns are kept in. */
export type TurnStores = Pick<
  Store,
  "approvals" | "artifacts" | "callTree" | "clock" | "events" | "idempotency" | "sessions" | "turnStream" | "turns"
>;

export const input = z.object({ a: z.number().describe("First number"), b: z.number().describe("Second number") });
export const output = z.object({ sum: z.number() });
export const description = "Adds two numbers. Use it for sums; for other arithmetic use another tool.";
export const instructions = "Use the tools.";
/** What every side is asked. */
export const message = "Go.";

export const ann = {
  tenant: "default",
  actor: { kind: "user", id: "ann" },
  interactive: true,
  permissions: ["agents:run"],
  door: "cli",
} as const;

const pay = defineTool({
  ...{ name: "pay", description: "Pays a bill.", input, output, effects: { destructive: true }, approval: "always_ask" },
  run: ({ a, b }) => ({ sum: a + b }),
});

export function memoryStores(): TurnStores {
  const approvals = createMemoryApprovalStore();
  const idempotency = createMemoryIdempotencyStore();
  return {
    ...{ approvals, artifacts: createMemoryArtifactStore(), clock: systemClock, callTree: createMemoryCallTree({ approvals }) },
    ...{ events: createMemoryEventLog({ keys: idempotency }), idempotency, sessions: createMemorySessionStore() },
    ...{ turnStream: createMemoryTurnStream(), turns: createMemoryTurns() },
  };
}

export interface PlaceOptions {
  /** Opened for each turn. */
  readonly model?: LanguageModelV4;
  readonly models?: ModelSource;
  /** `add` and its like. Default 1. */
  readonly tools?: number;
}

export interface Answered {
  readonly status: string;
  readonly output?: { readonly text: string; readonly usage: { readonly steps: number } };
}

export interface Place {
  readonly engine: Engine;
  /** Sends the message in a conversation of its own, and waits until the turn ends or waits. */
  run(): Promise<Answered>;
}

/** An engine with an agent, as a server puts it together. */
export function openPlace(stores: TurnStores, { model, models, tools = 1 }: PlaceOptions): Place {
  const { turnStream, turns, ...kept } = stores;
  const ids = createRandomIds();
  const source = models ?? {
    usual: "bench/stepping",
    open: async (id) => ({ id, model: model as LanguageModelV4, target: "json-schema-2020-12" }),
  };
  const { sessions, events, artifacts } = kept;
  const parts = { sessions, events, artifacts, turns, stream: turnStream, models: source, ids, clock: kept.clock, logger: silentLogger };
  const engine: Engine = createEngine({
    ...{ ...kept, ids, logger: silentLogger },
    tools: [...agentTools, pay, ...addingTools(tools)],
    policy: [{ tier: "platform", document: defaultPolicy }],
    administration: { turns, turnStream },
    capabilities: [
      agentsCapability(() => ({
        ...{ ...parts, engine },
        offerTools: async (scope, options) => ({ ...toAISDK(scope, options), write: toModelOutput }),
      })),
    ],
  });
  const scope = engine.scope(ann, { session: "bench" });
  return { engine, run: async () => (await scope.invokeNamed("agent_run", { agent: "assistant", message })) as unknown as Answered };
}

export const nameOf = (index: number) => (index === 0 ? "add" : `add_${index}`);

function addingTools(count: number) {
  return Array.from({ length: count }, (_, index) =>
    defineTool({ name: nameOf(index), description, input, output, run: ({ a, b }) => ({ sum: a + b }) }),
  );
}
