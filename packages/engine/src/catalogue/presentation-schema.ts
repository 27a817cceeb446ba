import { z } from "zod";
import { anyObject } from "../schema/any-json.ts";
import type { FormSpec, ToolPresentation, ViewBlock, ViewSpec } from "../tool/presentation.ts";

const text = z.string().min(1).max(200);
const help = z.string().min(1).max(1_000);
const member = z.string().min(1).max(200);
const members = z.array(member).max(1_000);
const version = z.literal(1, { error: "the version must be 1" });
const config = anyObject("What else the block takes").exactOptional();

export const formSchema: z.ZodType<FormSpec> = z.strictObject({
  version,
  order: members.exactOptional(),
  groups: z.array(z.strictObject({ title: text, help: help.exactOptional(), fields: members })).exactOptional(),
  more: members.exactOptional(),
  fields: z
    .record(
      z.string(),
      z.strictObject({
        label: text.exactOptional(),
        help: help.exactOptional(),
        placeholder: text.exactOptional(),
        widget: z.enum(["text", "textarea", "code", "password", "select", "checkbox", "file"]).exactOptional(),
      }),
    )
    .exactOptional(),
  internal: members.exactOptional(),
  embed: z.strictObject({ hide: members }).exactOptional(),
});

/** RFC 6901. */
const pointer = z
  .string()
  .max(1_000, { abort: true })
  .regex(/^(\/([^~/]|~[01])*)*$/, { error: 'this is no JSON pointer: write "" for the whole output, or "/name"' });
const common = { title: text.exactOptional(), data: pointer };
const named = z.strictObject({ name: member, label: text.exactOptional(), unit: z.string().min(1).max(40).exactOptional() });
const series = z.array(named).min(1).max(8).exactOptional();

const blocks = [
  z.strictObject({ block: z.literal("summary"), ...common, items: z.array(named).min(1).exactOptional() }),
  z.strictObject({ block: z.literal("table"), ...common, columns: z.array(named).min(1).exactOptional() }),
  z.strictObject({
    block: z.literal("chart"),
    ...common,
    shape: z.enum(["bar", "line"]).exactOptional(),
    x: member.exactOptional(),
    series,
  }),
  z.strictObject({ block: z.literal("radar"), ...common, axis: member.exactOptional(), series }),
  z.strictObject({ block: z.literal("ranking"), ...common, label: member.exactOptional(), score: named.exactOptional() }),
  z.strictObject({ block: z.literal("markdown"), ...common }),
  z.strictObject({ block: z.literal("image"), ...common, alt: text }),
  z.strictObject({ block: z.literal("file"), ...common }),
  z.strictObject({ block: z.literal("custom"), ...common, renderer: text, config }),
] as const;

const blockNames = blocks.map(({ shape }) => shape.block.value);
const block: z.ZodType<ViewBlock> = z.discriminatedUnion("block", blocks, {
  error: ({ code, input }) => (code === "invalid_union" ? unknownBlock(input) : undefined),
});

function unknownBlock(input: unknown): string {
  const { block: wanted } = (input ?? {}) as { readonly block?: unknown };
  return `there is no block ${JSON.stringify(wanted ?? null)}. Blocks: ${blockNames.join(", ")}`;
}

export const viewSchema: z.ZodType<ViewSpec> = z.strictObject({ version, blocks: z.array(block).min(1).max(100) });

export const presentationSchema: z.ZodType<ToolPresentation> = z.strictObject({
  icon: text.exactOptional(),
  category: text.exactOptional(),
  form: formSchema.exactOptional(),
  view: viewSchema.exactOptional(),
  outputSections: z
    .array(
      z.strictObject({
        key: member,
        label: text,
        type: z.enum(["summary", "table", "chart", "radar", "ranking", "custom"]),
        config,
      }),
    )
    .min(1)
    .exactOptional(),
});
