import { z } from "zod";

/** What one source says of a tool for an agent. */
export const agentTool = z.object({
  tool: z.string(),
  source: z.enum(["manual", "default", "skill"]),
  skill: z.string().optional(),
  enabled: z.boolean(),
});
