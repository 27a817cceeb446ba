import { agentsCapability, agentTools, createModelSource, openAICompatibleModels, startResuming } from "@toolwright/agents";
import { toAISDK, toModelOutput } from "@toolwright/doors/ai-sdk";
import { ANSWER_APPROVALS, createEngine, type Engine, type Logger, type Principal } from "@toolwright/engine";
import { createRandomIds } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { faultTools } from "./fault-tools.ts";

export interface ChatParts {
  readonly store: Store;
  readonly effects: string;
  /** Address of the model. */
  readonly model: string;
  readonly logger: Logger;
}

const model = "openai-compatible/scripted";

export const chatter: Principal = {
  tenant: "default",
  actor: { kind: "user", id: "ann" },
  permissions: ["agents:run", ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};

/** An engine whose agent has the tools that leave lines. */
export function openChatEngine({ store, effects, model: url, logger }: ChatParts): Engine {
  const { events, artifacts, approvals, callTree, clock, grants, limiter, idempotency, sessions, turns, turnStream } = store;
  const ids = createRandomIds();
  const models = createModelSource({
    usual: model,
    providers: new Map([["openai-compatible", async () => openAICompatibleModels({ server: { url } })]]),
  });
  const engine: Engine = createEngine({
    tools: [...agentTools, ...faultTools(effects)],
    policy: [{ tier: "platform", document: { version: 1, autonomy: "full" } }],
    ...{ events, artifacts, approvals, callTree, clock, grants, limiter, idempotency, sessions, logger, ids },
    administration: { turns, turnStream },
    capabilities: [
      agentsCapability(() => ({
        ...{ engine, turns, stream: turnStream, events, artifacts, models, clock, ids, logger, sessions },
        offerTools: async (scope, options) => ({ ...toAISDK(scope, options), write: toModelOutput }),
      })),
    ],
  });
  return engine;
}

/** Does what a worker does. Returns how to stop. */
export async function workOnChats(engine: Engine, { store, logger }: ChatParts): Promise<() => Promise<void>> {
  const worker = await store.startWorker({ engine, logger });
  const stopResuming = startResuming({ engine, turns: store.turns, clock: store.clock, logger });
  return async () => {
    stopResuming();
    await worker.stop(2_000);
  };
}

/** Says yes or no to all that waits, by what is asked: one chat in five is denied. */
export async function answerChats(engine: Engine): Promise<void> {
  const person = engine.scope(chatter, { session: "inbox" });
  for (const { record } of await person.approvals()) {
    const isDenied = record.callId.charCodeAt(record.callId.length - 1) % 5 === 0;
    await person.answer(record.id, isDenied ? { kind: "deny" } : { kind: "approve" }).catch(() => undefined);
  }
}
