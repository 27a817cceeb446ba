import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import { skillHarness } from "../agent/skill-harness.ts";
import type {} from "../capability.ts";

/** Gives an agent the text of a skill that it has: its prompt holds a line of each. */
export default defineTool({
  name: "skill_read",
  title: "Read a skill",
  group: "skills",
  icon: "book",
  description:
    "Read how a task is done, from a skill that you have. Read it before the task, and not again while its text is in the conversation.",
  input: z.object({ skill: z.string().describe("Name of the skill, as your instructions list it") }),
  output: z.object({ skill: z.string(), title: z.string(), instructions: z.string().describe("Markdown") }),
  permission: RUN_AGENTS,
  visibility: { harness: skillHarness },
  effects: { agents: "read" },
  examples: [{ label: "A skill", input: { skill: "release-notes" } }],
  toModel: ({ instructions }) => [{ type: "text", text: instructions }],
  async run({ skill: name }, { agents }) {
    const { skill, title, instructions } = await agents.skill(name);
    return { skill, title, instructions };
  },
});
