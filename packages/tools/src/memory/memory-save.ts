import { defineTool, ToolwrightError } from "@toolwright/engine";
import { mostMemoryCharacters } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "./memory-capability.ts";
import { category, trust } from "./memory-shape.ts";

/** Remembers something across sessions. */
export default defineTool({
  name: "memory_save",
  title: "Save memory",
  group: "memory",
  icon: "book",
  description:
    "Remember one fact, preference or decision across sessions. Write it so that it makes sense alone, with names and dates. To correct something, " +
    "save it again under its key: the versions before are kept. similarTo names entries that say the same: replace one of them instead of saving twice.",
  input: z.object({
    content: z.string().min(1).max(mostMemoryCharacters).describe("What to remember, in a sentence or a few."),
    key: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe("Its name, e.g. deploy-day. An entry with that key is replaced. Default: a new one."),
    category: category
      .nullish()
      .describe(
        "core stays, daily expires after 30 days, conversation goes with this session. Default: core; daily after foreign content.",
      ),
    expiresAt: z.string().max(40).nullish().describe("When it stops being true, as an ISO 8601 time."),
  }),
  output: z.object({
    key: z.string().describe("The key of the entry."),
    version: z.int().describe("1 for a new entry."),
    created: z.boolean().describe("False where an entry was replaced."),
    similarTo: z.array(z.string()).describe("Keys of entries that say the same."),
    trust,
  }),
  permission: "memory.tenant.update",
  effects: { memory: "write" },
  visibility: { feature: "memory" },
  examples: [
    { label: "A fact that stays", input: { content: "Deploys go out on Tuesdays", key: "deploy-day" } },
    { label: "Something for a few days", input: { content: "Ann is away until Friday", category: "daily" } },
  ],
  aliases: {
    ...{ text: "content", fact: "content", memory: "content", value: "content", id: "key", name: "key" },
    ...{ type: "category", expires: "expiresAt", ttl: "expiresAt", expires_at: "expiresAt" },
  },
  ask: ({ content }, say) => say`Remember: ${content}?`,
  async run({ content, key, category: wanted, expiresAt }, { memory, note }) {
    const until = expiresAt == null ? undefined : Date.parse(expiresAt);
    if (Number.isNaN(until))
      throw new ToolwrightError(
        "invalid_input",
        `expiresAt is ${JSON.stringify(expiresAt)}, which is not a valid time. Write it as 2027-01-31 or 2027-01-31T12:00:00Z.`,
      );
    const draft = { content, key: key ?? undefined, category: wanted ?? undefined, expiresAt: until };
    const { category: kept, ...saved } = await memory.save(draft);
    if (wanted == null && kept === "daily")
      note(
        "This session has read content from elsewhere, so the entry is daily and expires. Save it as core to keep it: a person is asked.",
      );
    return { ...saved, similarTo: [...saved.similarTo] };
  },
  toModel: ({ key, version, created, similarTo }) => [
    {
      type: "text",
      text: `${created ? "Saved" : `Replaced, version ${version} of`} ${key}.${similarTo.length > 0 ? ` These say the same: ${similarTo.join(", ")}.` : ""}`,
    },
  ],
});
