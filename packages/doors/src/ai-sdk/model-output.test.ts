import { createEngine, defineTool } from "@toolwright/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { toAISDK } from "./to-ai-sdk.ts";

const bytes = Buffer.alloc(6, 7).toString("base64");
const senses = defineTool({
  ...{ name: "senses", description: "Sees and hears.", input: z.object({}), output: z.object({}), effects: {} },
  run(_, { show }) {
    show({ type: "image", data: bytes, mimeType: "image/png" });
    show({ type: "audio", data: bytes, mimeType: "audio/wav" });
    return {};
  },
});
const engine = createEngine({ tools: [senses] });
const scope = engine.scope({ tenant: "t", actor: { kind: "user", id: "u" }, permissions: [] }, { session: "s" });

test.each([
  ["anthropic", undefined, ["image/png"]],
  ["bedrock", undefined, ["image/png"]],
  ["gemini", undefined, ["image/png", "audio/wav"]],
  ["openai", undefined, []],
  ["openai", "pictures", ["image/png"]],
  ["openai", "parts", ["image/png", "audio/wav"]],
  ["gemini", "words", []],
] as const)("for %s with files %s, parts are %j, and a line stands for the others", async (target, files, expected) => {
  const { tools } = toAISDK(scope, { target, ...(files && { files }) });
  const output = await scope.invokeNamed("senses", {});
  const written = await tools.senses?.toModelOutput?.({ toolCallId: "c", input: {}, output: { ...output } } as never);
  const parts = written?.type === "content" ? written.value : [];
  expect(parts.flatMap((part) => (part.type === "file" ? [part.mediaType] : []))).toEqual(expected);
  const lines = JSON.stringify(written);
  for (const type of ["image/png", "audio/wav"])
    expect(lines.includes(`[${type}, 6 bytes: its content is not shown.]`)).toBe(!expected.some((each) => each === type));
});
