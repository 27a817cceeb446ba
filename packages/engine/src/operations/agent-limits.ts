import { z } from "zod";

const mostTokens = 1_000_000_000;

const dollars = (description: string) => z.number().positive().max(1_000_000).optional().describe(description);
const upTo = (most: number, description: string) => z.int().min(1).max(most).optional().describe(description);

/** What a turn may take, as operations and documents write it. */
export const agentLimits = z
  .strictObject({
    steps: upTo(1_000, "Requests to the model in one turn; the last is without tools, to answer. Usually 15"),
    tokens: upTo(mostTokens, "Tokens of all requests of one turn and its sub-agents, in and out. Usually 200000"),
    cost: dollars("US dollars of one turn and its sub-agents. Usually without a limit"),
    window: z
      .int()
      .min(1_000)
      .max(10_000_000)
      .optional()
      .describe("Tokens that fit into one request: what is longer is shortened. Usually what the model takes"),
    callsPerStep: upTo(1_000, "Calls that one response may make. Usually 16"),
    callsAtOnce: upTo(100, "Calls of one response that run at once. Usually 8"),
    subAgents: upTo(100, "Sub-agents that one turn may begin. Usually 8"),
    subAgentsAtOnce: upTo(100, "Sub-agents of one turn that run at once. Usually 4"),
    tokensADay: upTo(mostTokens, "Tokens of the turns that begin on one day in UTC. Usually without a limit"),
    costADay: dollars("US dollars of the turns that begin on one day in UTC. Usually without a limit"),
  })
  .describe("What a turn may take; what is left out is usual");
