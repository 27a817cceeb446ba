import {
  type AgentRuns,
  agentsCapability,
  agentTools,
  createModelSource,
  demoModels,
  openAICompatibleModels,
  type RunsParts,
} from "@toolwright/agents";
import { toAISDK, toModelOutput } from "@toolwright/doors/ai-sdk";
import { type CallResult, createEngine, defineTool, type Engine, type Scope } from "@toolwright/engine";
import {
  createMemoryApprovalStore,
  createMemoryCallTree,
  createMemoryCatalogueStore,
  createMemoryEventLog,
  createMemoryIdempotencyStore,
  createMemorySessionStore,
  createMemoryTurnStream,
  createMemoryTurns,
  createRandomIds,
  silentLogger,
} from "@toolwright/engine/ports";
import { createManualClock, type ManualClock } from "@toolwright/engine/testing";
import { z } from "zod";
import { type ScriptedAnswer, type ScriptedModel, serveScriptedModel } from "../../../examples/scripted-model.ts";

export type { AgentRuns };

const text = z.object({ text: z.string() });
const input = z.object({ text: z.string().describe("A text") });

export const day = 24 * 60 * 60 * 1000;

interface Starting {
  readonly usual?: string;
  readonly clock?: ManualClock;
  readonly approvalTtlMs?: number;
}

/** One place with its stores and a scripted model; each `start` is a process of it. */
export class World {
  /** What the tools did, in order. */
  readonly did: string[] = [];
  readonly clock = createManualClock();
  readonly model: ScriptedModel;
  readonly events = createMemoryEventLog();
  readonly turns = createMemoryTurns();
  readonly stream = createMemoryTurnStream();
  readonly approvals = createMemoryApprovalStore();
  readonly catalogue = createMemoryCatalogueStore({ approvals: this.approvals, turns: this.turns });
  /** Called when the tool `slow` waits. */
  onSlow = () => {};
  /** Lets the tool `slow` end. */
  endSlow = () => {};
  readonly #stores = {
    callTree: createMemoryCallTree({ approvals: this.approvals }),
    idempotency: createMemoryIdempotencyStore(),
    sessions: createMemorySessionStore(),
  };

  private constructor(model: ScriptedModel) {
    this.model = model;
  }

  static async open(script: readonly ScriptedAnswer[]): Promise<World> {
    return new World(await serveScriptedModel(script));
  }

  close(): Promise<void> {
    return this.model.close();
  }

  /** `clock`: of a process that is to die, one that nobody moves. */
  start({ usual = "openai-compatible/scripted-1", clock = this.clock, approvalTtlMs = day }: Starting = {}): Engine {
    const { events, turns, approvals, model } = this;
    const ids = createRandomIds();
    const models = createModelSource({
      usual,
      providers: new Map([
        ["demo", async () => demoModels()],
        ["openai-compatible", async () => openAICompatibleModels({ url: model.url, key: async () => "key-1" })],
      ]),
    });
    const parts = (): RunsParts => ({
      ...{ engine, turns, stream: this.stream, models, clock, ids, logger: silentLogger, sessions: this.#stores.sessions, agents: this.catalogue.agents },
      offerTools: async (scope, options) => ({ ...toAISDK(scope, options), write: toModelOutput }),
    });
    const engine: Engine = createEngine({
      ...this.#stores,
      ...{ approvals, events, clock, ids, logger: silentLogger, approvalTtlMs },
      tools: [...agentTools, ...this.#tools()],
      capabilities: [agentsCapability(parts)],
      administration: { turns, turnStream: this.stream },
      policy: { ask: ["pay"], deny: ["forbidden"] },
    });
    return engine;
  }

  /** What the model read of tools in its last request. */
  toolMessages(): unknown[] {
    const messages = this.model.requests.at(-1)?.messages ?? [];
    return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  }

  #tools() {
    const act = (name: string, effects: { readonly destructive?: boolean; readonly idempotent?: boolean } = {}) =>
      defineTool({
        ...{ name, description: `Does ${name}.`, input, output: text, effects },
        run: ({ text: said }: { text: string }) => {
          this.did.push(`${name} ${said}`);
          return { text: `${name} did ${said}` };
        },
      });
    const slow = defineTool({
      ...{ name: "slow", description: "Waits for its signal.", input, output: text },
      run: async (_: unknown, { signal }) => {
        const ended = new Promise<void>((resolve) => {
          this.endSlow = resolve;
          signal.addEventListener("abort", () => resolve());
        });
        this.onSlow();
        await ended;
        return { text: "ended" };
      },
    });
    return [act("note"), act("pay", { destructive: true }), act("forbidden"), slow];
  }
}

export const ann = { tenant: "acme", actor: { kind: "user", id: "ann" }, interactive: true, permissions: ["agents:run"] } as const;

/** The scope of a person at one of the processes. */
export const personAt = (engine: Engine): Scope => engine.scope(ann, { session: "inbox" });

export interface RunOutput {
  readonly turn: string;
  readonly conversation: string;
  readonly state: string;
  readonly text: string;
  readonly limit?: string;
}

export function outputOf(result: CallResult): RunOutput {
  if (result.status !== "done") throw new Error(`The call is ${JSON.stringify(result)}.`);
  return result.output as unknown as RunOutput;
}

export const call = (name: string, said: string, id?: string) => ({ name, input: { text: said }, ...(id !== undefined && { id }) });
