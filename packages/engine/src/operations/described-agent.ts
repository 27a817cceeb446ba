import { z } from "zod";
import { policyDocument } from "../policy/document/policy-document.ts";
import { agentLimits } from "./agent-limits.ts";

/** An agent as a document describes it. What is left out stays as it is; limits and skills that are said are all that it has. */
export const describedAgent = z.strictObject({
  id: z.string(),
  name: z.string().optional().describe("Display name"),
  instructions: z.string().optional().describe("Markdown of at most 100000 characters"),
  model: z.string().optional().describe("provider/name"),
  limits: agentLimits.optional(),
  features: z.record(z.string(), z.boolean()).optional().describe("Features that are not named stay as they are"),
  restricted: z.boolean().optional(),
  acceptsAgents: z.boolean().optional(),
  skills: z.array(z.string()).optional().describe("All skills that it has"),
  // As the policy has it for an agent.
  tools: policyDocument.shape.tools.describe("Which tools it may use, in the policy of the tenant"),
});

export type DescribedAgent = z.output<typeof describedAgent>;
