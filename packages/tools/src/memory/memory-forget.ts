import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import type {} from "./memory-capability.ts";

/** Removes one entry with all its versions. */
export default defineTool({
  name: "memory_forget",
  title: "Forget memory",
  group: "memory",
  icon: "book",
  description:
    "Remove one saved entry for good, with all its versions. Use it when somebody asks you to forget something. To correct an entry, save it again under its key.",
  input: z.object({ key: z.string().min(1).max(200).describe("Key of the entry, as memory_search shows it.") }),
  output: z.object({ key: z.string(), versionsRemoved: z.int().describe("How many versions were removed.") }),
  permission: "memory.tenant.delete",
  effects: { memory: "write", destructive: true, idempotent: true },
  visibility: { feature: "memory" },
  examples: [{ label: "One entry", input: { key: "deploy-day" } }],
  aliases: { id: "key", name: "key" },
  ask: ({ key }, say) => say`Forget the memory ${key}?`,
  run: async ({ key }, { memory }) => ({ key, versionsRemoved: await memory.forget(key) }),
  toModel: ({ key, versionsRemoved }) => [{ type: "text", text: `Forgot ${key} (${versionsRemoved} versions).` }],
});
