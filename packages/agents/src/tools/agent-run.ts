import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import type {} from "../capability.ts";
import { runToEnd } from "./run-to-end.ts";
import { answerOf, runsAgents } from "./turn-output.ts";

/** Has an agent answer a message, with the tools that it may use. */
export default defineTool({
  ...runsAgents,
  name: "agent_run",
  title: "Run an agent",
  description:
    "Send a message to an agent and get its answer. The agent works with its own tools, each call under the policy, and waits where a person has to decide. Pass the conversation of an earlier answer to go on with it. For one step that you know, call the tool itself.",
  input: z.object({
    agent: z.string().describe("Name of the agent, such as assistant"),
    message: z.string().max(1_100_000).describe("What it is to do or to answer"),
    conversation: z.string().nullish().describe("Conversation of an earlier answer; a new one where it is left out"),
    attachments: z
      .array(z.string())
      .nullish()
      .describe("Ids of artifacts that go with the message. Files that come with the call go with it, too"),
    interrupt: z
      .boolean()
      .nullish()
      .describe("True stops the turn that runs in the conversation before this one begins. Default: the message waits for the next step"),
    turn: z.string().nullish().describe("A turn that was interrupted, to go on with in place of a new message"),
  }),
  examples: [{ label: "A question", input: { agent: "assistant", message: "Which files are in the workspace?" } }],
  toModel: (output) => [
    { type: "text", text: output.state === "queued" ? "The message waits for the next step of the turn that runs." : answerOf(output) },
  ],
  run: (input, { agents, tools, usage, progress, attachments: files }) => {
    const tell = (message: string, steps: number) => progress(steps, undefined, message);
    return runToEnd(() => agents.run({ ...input, files }, { spend: (spent) => usage.add(spent), tell }), tools);
  },
});
