import { misfitAt } from "../contract/misfit-at.ts";

/** What a turn may take. What is absent is usual. */
export interface AgentLimits {
  /** Requests to the model in one turn; the last is without tools, to answer. */
  readonly steps?: number;
  /** Tokens of all requests of one turn and its sub-agents, in and out. */
  readonly tokens?: number;
  /** US dollars of one turn and its sub-agents. Without it there is no such limit; with it, a model without a price is refused. */
  readonly cost?: number;
  /** Tokens that fit into one request: what is longer is shortened. Without it, as many as the model takes. */
  readonly window?: number;
  /** Calls that one response may make. */
  readonly callsPerStep?: number;
  /** Calls of one response that run at once. */
  readonly callsAtOnce?: number;
  /** Sub-agents that one turn may begin. */
  readonly subAgents?: number;
  /** Sub-agents of one turn that run at once. */
  readonly subAgentsAtOnce?: number;
  /** Tokens of all turns that begin on one day in UTC. Without it there is no such limit. */
  readonly tokensADay?: number;
  /** US dollars of them. */
  readonly costADay?: number;
}

/** What an agent is, beside its name and what it has. An empty text is as none. */
export interface AgentSettings {
  /** Markdown that requests of its turns begin with; without it the usual words. */
  readonly instructions?: string;
  /** `provider/name`; without it the server's usual one. */
  readonly model?: string;
  readonly limits?: AgentLimits;
}

const mostCharacters = 100_000;

/** Throws `catalogue_refused` for what no agent can be. */
export function checkAgentSettings({ instructions = "", model = "" }: AgentSettings): void {
  if (instructions.length > mostCharacters)
    throw misfitAt(
      "/instructions",
      "catalogue_refused",
      `The instructions have ${instructions.length} characters, and at most ${mostCharacters} are kept. Move what only some tasks need into skills.`,
    );
  if (model !== "" && !/^[a-z][a-z0-9-]*\/\S{1,200}$/.test(model))
    throw misfitAt(
      "/model",
      "catalogue_refused",
      `${JSON.stringify(model.slice(0, 80))} names no model. Write provider/name, such as openai-compatible/qwen3.`,
    );
}

type Given = { readonly [Name in keyof AgentSettings]: AgentSettings[Name] | null | undefined };

/** Without what is empty. */
export function settingsOf({ instructions, model, limits }: Given): AgentSettings {
  return {
    ...(instructions && { instructions }),
    ...(model && { model }),
    ...(limits && Object.keys(limits).length > 0 && { limits }),
  };
}
