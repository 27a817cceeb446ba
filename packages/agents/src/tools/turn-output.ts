import { cutReasons, describeCut, type ForeignSource, RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import { turnHarness } from "../turn/turn-harness.ts";

const minute = 60_000;

/** How a turn ended, for whoever had it run. */
const turnOutput = z.object({
  turn: z.string(),
  conversation: z.string(),
  state: z.enum(["done", "queued", "running", "cancelled"]),
  text: z.string().describe("The answer; empty where the message waits for a turn that runs, and for a sub-agent in the background"),
  limit: z.string().nullish().describe("The limit that ended the turn before the agent did"),
  finishReason: z.enum(cutReasons).nullish().describe("Why the answer is cut off; absent for one that is whole"),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), steps: z.int() }),
});

/** What the tools that run agents have in common. */
export const runsAgents = {
  ...{ group: "agents", icon: "bot", output: turnOutput, permission: RUN_AGENTS },
  effects: { agents: "run", tools: ["*"], idempotent: true },
  limits: { timeoutMs: 60 * minute, idleMs: 5 * minute },
  foreign: {
    kind: "upstream",
    sources: ({ conversation }: z.infer<typeof turnOutput>): readonly ForeignSource[] => [{ kind: "session", session: conversation }],
    members: ["text"],
  },
} as const;

/** Members of tools that an agent has in its turns. Each call of the sub-agent is weighed and recorded by itself: this one may be made again for it. */
export const startsSubAgents = {
  ...runsAgents,
  effects: { agents: "run", tools: [], idempotent: true },
  visibility: { harness: turnHarness },
  toModel: (output: z.infer<typeof turnOutput>) => [{ type: "text" as const, text: wordsOf[output.state](output) }],
} as const;

/** The answer of a turn as models read it. */
export function answerOf({ text, finishReason }: Pick<z.infer<typeof turnOutput>, "text" | "finishReason">): string {
  return finishReason ? `${text}\n[${describeCut(finishReason)}]` : text;
}

const wordsOf = {
  done: answerOf,
  queued: ({ text }) => text,
  running: ({ turn }) => `It works as task ${turn}. Read its answer with task_status.`,
  cancelled: ({ text }) => `It was stopped. ${text}`,
} satisfies Readonly<Record<string, (ended: z.infer<typeof turnOutput>) => string>>;

/** What each of them takes. */
export const taskInput = {
  task: z.string().min(1).max(100_000).describe("The work, with all that is needed to do it and what the answer is to hold"),
  wait: z.boolean().nullish().describe("false: begin it and go on; read its answer with task_status. Default: true"),
};
