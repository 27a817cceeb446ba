import type { ServerResponse } from "node:http";
import {
  type AgentRuns,
  agentsCapability,
  agentTool,
  agentTools,
  anthropicModels,
  bedrockModels,
  createModelSource,
  demoModels,
  type Leaving,
  type ModelSite,
  type ModelSource,
  modelCapability,
  modelKeys,
  openAICompatibleModels,
  openAIModels,
  RunningTurns,
  type RunsParts,
  roomsCapability,
  type WorkRoomsParts,
} from "@toolwright/agents";
import { toAISDK, toModelOutput } from "@toolwright/doors/ai-sdk";
import {
  type AnyTool,
  type CallResult,
  type CapabilityProvider,
  createEngine,
  defineTool,
  type Engine,
  type Logger,
  type Scope,
} from "@toolwright/engine";
import {
  createMemoryApprovalStore,
  createMemoryArtifactStore,
  createMemoryCallTree,
  createMemoryCatalogueStore,
  createMemoryEventLog,
  createMemoryForeignMarks,
  createMemoryIdempotencyStore,
  createMemoryRooms,
  createMemorySecretStore,
  createMemorySessionStore,
  createMemoryTenantKeys,
  createMemoryTurnStream,
  createMemoryTurns,
  createRandomIds,
} from "@toolwright/engine/ports";
import { createManualClock, type ManualClock } from "@toolwright/engine/testing";
import { guardedFetch } from "@toolwright/sandbox";
import { z } from "zod";
import { type ModelRequest, type ScriptedAnswer, serveScriptedModel } from "../../../examples/scripted-model.ts";
import type { ScriptedAnswerTo, ScriptedServer, ScriptedServerOptions } from "../../../examples/scripted-server.ts";

export type { AgentRuns };

const text = z.object({ text: z.string() });
const input = z.object({ text: z.string().describe("A text") });

export const day = 24 * 60 * 60 * 1000;

interface Starting {
  readonly usual?: string;
  readonly clock?: ManualClock;
  readonly approvalTtlMs?: number;
  /** Tools that the policy does not let it call. */
  readonly denied?: readonly string[];
  readonly leaving?: Leaving;
  /** An origin on this machine that the policy opens. */
  readonly opened?: string;
  /** Beside those of agents and of this place. */
  readonly tools?: readonly AnyTool[];
  readonly capabilities?: readonly CapabilityProvider[];
  /** What asks once a session has read foreign content. */
  readonly afterForeign?: Readonly<Record<string, "ask" | "granted" | "none">>;
}

/** How a place reaches its model. */
export interface WorldModel<Request> {
  /** Of agents that name none. */
  readonly usual: string;
  readonly serve: (script: Iterable<ScriptedAnswerTo<Request>>, options?: ScriptedServerOptions) => Promise<ScriptedServer<Request>>;
}

const chat: WorldModel<ModelRequest> = { usual: "openai-compatible/scripted-1", serve: serveScriptedModel };

const ownFetch = ({ network = { deny: [], allowRanges: [] } }: Pick<ModelSite, "network">) => guardedFetch({ network });

/** The secrets of the tenant: each opens a provider. */
const secrets = {
  openai_api_key: "sk-canary-openai",
  anthropic_api_key: "sk-canary-anthropic",
  aws_access_key_id: "AKIACANARY",
  aws_secret_access_key: "canary/aws/secret",
  aws_region: "eu-central-1",
};

/** One place with its stores and a scripted model; each `start` is a process of it. */
export class World<Request = ModelRequest> {
  /** What the tools did, in order. */
  readonly did: string[] = [];
  readonly clock = createManualClock();
  readonly model: ScriptedServer<Request>;
  readonly secrets = createMemorySecretStore();
  /** What operators read. */
  readonly log: { readonly message: string; readonly fields: unknown }[] = [];
  readonly logger: Logger = { log: (_, message, fields) => void this.log.push({ message, fields }) };
  readonly events = createMemoryEventLog();
  readonly turns = createMemoryTurns();
  readonly rooms = createMemoryRooms();
  readonly stream = createMemoryTurnStream();
  readonly artifacts = createMemoryArtifactStore();
  readonly foreign = createMemoryForeignMarks();
  readonly approvals = createMemoryApprovalStore();
  readonly catalogue = createMemoryCatalogueStore({ approvals: this.approvals, turns: this.turns, rooms: this.rooms });
  /** Called when the tool `slow` waits. */
  onSlow = () => {};
  /** What is left of the rights of who asked. */
  standingOf: RunsParts["standingOf"];
  /** Lets the tool `slow` end. */
  endSlow = () => {};
  #stores = {
    callTree: createMemoryCallTree({ approvals: this.approvals }),
    idempotency: createMemoryIdempotencyStore(),
    artifacts: createMemoryArtifactStore(),
    sessions: createMemorySessionStore(),
    tenantKeys: createMemoryTenantKeys(),
  };

  readonly #usual: string;

  private constructor(model: ScriptedServer<Request>, usual: string) {
    this.model = model;
    this.#usual = usual;
  }

  static open(script: Iterable<ScriptedAnswer>, options?: ScriptedServerOptions): Promise<World> {
    return World.openWith(chat, script, options);
  }

  static async openWith<Request>(
    { usual, serve }: WorldModel<Request>,
    script: Iterable<ScriptedAnswerTo<Request>>,
    options?: ScriptedServerOptions,
  ): Promise<World<Request>> {
    const world = new World(await serve(script, options), usual);
    for (const [name, value] of Object.entries(secrets)) await world.secrets.set({ tenant: "acme", name }, value);
    return world;
  }

  close(): Promise<void> {
    return this.model.close();
  }

  /** `clock`: of a process that is to die, one that nobody moves. */
  start({ usual = this.#usual, clock = this.clock, approvalTtlMs = day, denied = [], tools = [], ...more }: Starting = {}): Engine {
    const { leaving, opened, afterForeign, capabilities = [] } = more;
    const { events, foreign, turns, rooms, approvals, stream, logger } = this;
    const ids = createRandomIds();
    const models = this.models(usual);
    const parts = (): RunsParts => ({
      ...{
        engine,
        turns,
        stream,
        events,
        foreign,
        models,
        clock,
        ids,
        logger,
        leaving,
        sessions: this.#stores.sessions,
        artifacts: this.artifacts,
      },
      ...{ agents: this.catalogue.agents, skills: this.catalogue.skills, standingOf: this.standingOf },
      offerTools: async (scope, options) => ({ ...toAISDK(scope, options), write: toModelOutput }),
    });
    const running = new RunningTurns();
    const engine: Engine = createEngine({
      ...this.#stores,
      ...{ artifacts: this.artifacts, approvals, events, foreign, clock, ids, logger, approvalTtlMs },
      tools: [...agentTools, ...tools, ...this.#tools()],
      capabilities: [
        agentsCapability(parts, running),
        modelCapability(() => ({ models, turns, clock, logger, agents: this.catalogue.agents, running })),
        roomsCapability(() => ({ engine, rooms, foreign, clock })),
        ...capabilities,
      ],
      administration: { turns, turnStream: this.stream, rooms, catalogue: this.catalogue },
      ...{ visibility: this.catalogue.visibility, tenantTools: this.catalogue.tenantTools, agentTool },
      policy: {
        version: 1,
        tools: { ask: ["pay"], deny: ["forbidden", ...denied] },
        ...(afterForeign && { after_foreign: afterForeign }),
        ...(opened !== undefined && { network: { allow: [new URL(opened).host], allow_ranges: ["127.0.0.0/8"] } }),
      },
    });
    return engine;
  }

  /** What works off rooms at one of the processes. Who made them has the rights that they had then. */
  workParts(engine: Engine): WorkRoomsParts {
    const { rooms, turns, clock, logger } = this;
    const { sessions } = this.#stores;
    return { engine, rooms, turns, sessions, clock, logger, ids: createRandomIds(), standingOf: async (principal) => ({ principal }) };
  }

  models(usual = this.#usual): ModelSource {
    const { url } = this.model;
    const keys = modelKeys({ secrets: this.secrets });
    return createModelSource({
      usual,
      providers: new Map([
        ["demo", async () => demoModels()],
        ["openai-compatible", async () => openAICompatibleModels({ server: { url, key: "key-canary-1" }, own: { keys, fetch: ownFetch } })],
        ["openai", async () => openAIModels({ keys, url })],
        ["anthropic", async () => anthropicModels({ keys, url })],
        ["bedrock", async () => bedrockModels({ keys, url })],
      ]),
    });
  }

  /** As a store does for tools that may run twice when a process is found to be gone. */
  freeKeys(): void {
    this.#stores = { ...this.#stores, idempotency: createMemoryIdempotencyStore() };
  }

  /** Lets the pauses pass after which a model is asked again, until the promise is settled. */
  async patiently<Value>(promise: Promise<Value>): Promise<Value> {
    let isOver = false;
    const settled = promise.finally(() => {
      isOver = true;
    });
    const pauses = () => this.log.flatMap(({ fields }) => (hasPause(fields) ? [fields.pauseMs] : []));
    for (let passed = pauses().length; !isOver; await new Promise((resolve) => setImmediate(resolve))) {
      for (const pauseMs of pauses().slice(passed)) {
        passed += 1;
        await this.clock.advance(pauseMs);
      }
    }
    return settled;
  }

  /** What the model read of tools in its last request. */
  toolMessages(this: World): unknown[] {
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

const hasPause = (fields: unknown): fields is { readonly pauseMs: number } =>
  typeof fields === "object" && fields !== null && "pauseMs" in fields;

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

/** What follows the last words of an answer. */
export const endOfAnswer = `data: ${JSON.stringify({
  ...{ id: "c", object: "chat.completion.chunk", created: 0, model: "m" },
  choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
})}\n\ndata: [DONE]\n\n`;

/** Begins an answer of a scripted model and leaves it open. */
export function beginAnswer(outgoing: ServerResponse, content: string, begun: () => void): void {
  const choices = [{ index: 0, delta: { role: "assistant", content } }];
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  outgoing.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices })}\n\n`, begun);
}
