import { type CallSite, type CapabilityProvider, type Logger, ToolwrightError } from "@toolwright/engine";
import type { AskedModel, Clock, ModelAnswer, ModelQuestion, Turns } from "@toolwright/engine/ports";
import { type AgentSource, findProfile } from "./agent/agent-profile.ts";
import { checkDay } from "./agent/check-day.ts";
import type { ModelSource, OpenedModel } from "./models/model-source.ts";
import type { RunningTurns } from "./running-turns.ts";
import type { SpentOn } from "./turn/turn-parts.ts";

export interface ModelParts extends AgentSource {
  readonly models: ModelSource;
  readonly turns: Pick<Turns, "usage">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Turns of this process: what their calls take of models counts in their budgets. Left out: in no turn's. */
  readonly running?: RunningTurns;
}

/** Tokens that fit into a request to a model of which nobody knows better. */
const usualWindow = 32_000;
/** The share of the window that the question may take: the rest is for thinking and the answer. */
const shareOfQuestion = 1 / 2;
/** Characters of a token: fewer than in most languages, so that a question surely fits. */
const charactersOfToken = 2;

/** Gives `ctx.model`. `parts` is asked at the first call. */
export function modelCapability(parts: () => ModelParts): CapabilityProvider<"model"> {
  return { name: "model", open: (_, site) => ({ open: () => openFor(site, parts()) }) };
}

async function openFor({ principal, session, network, signal, alive }: CallSite, parts: ModelParts): Promise<AskedModel> {
  const { tenant, agent } = principal;
  const profile = agent === undefined ? undefined : await findProfile(tenant, agent, parts);
  if (profile) await checkDay(tenant, profile, parts);
  const { models, logger, running } = parts;
  const opened = await models.open(profile?.model ?? models.usual, { tenant, agent, conversation: session, network });
  const { id, contextWindow = usualWindow } = opened;
  const room = Math.floor(contextWindow * shareOfQuestion * charactersOfToken);
  return {
    ...{ id, room },
    async ask(question) {
      const answer = await ask(question, { opened, signal, alive, logger });
      // A person's call in the conversation is no part of the turn.
      if (agent !== undefined) running?.spend({ tenant, session }, answer.usage);
      return answer;
    },
  };
}

interface Asking extends Pick<CallSite, "signal" | "alive"> {
  readonly opened: OpenedModel;
  readonly logger: Logger;
}

async function ask(
  { instructions, question }: ModelQuestion,
  { opened, signal, alive, logger }: Asking,
): Promise<ModelAnswer & { readonly usage: SpentOn }> {
  // Loaded with the first question, as with the first turn.
  const { askOnce } = await import("./turn/ask-once.ts");
  const { mark = (request) => request } = opened;
  const request = mark({
    prompt: [
      { role: "system", content: instructions },
      { role: "user", content: [{ type: "text", text: question }] },
    ],
    abortSignal: signal,
  });
  try {
    const { text, usage } = await askOnce(request, { model: opened, alive });
    return { text, usage: { model: opened.id, ...usage } };
  } catch (error) {
    signal.throwIfAborted();
    const { describeModelError, reportModelError } = await import("./turn/model-error.ts");
    logger.log("warn", "A model did not answer a question of a tool.", reportModelError(error, opened));
    const { code, message, details } = describeModelError(error, opened);
    throw new ToolwrightError(code, message, { details });
  }
}
