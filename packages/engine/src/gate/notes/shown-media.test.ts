import { expect, it } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine.ts";
import { defineTool } from "../../tool/define-tool.ts";

const principal = { tenant: "t1", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" } as const;

function invoke(...sizes: number[]) {
  const tool = defineTool({
    name: "draw",
    description: "Draws.",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run(_, { show }) {
      for (const size of sizes) show({ type: "image", data: "A".repeat(size), mimeType: "image/png" });
      return { text: "drawn" };
    },
  });
  return createEngine({ tools: [tool] })
    .scope(principal, { session: "s1" })
    .invoke("draw", {});
}

it("puts what a tool shows behind its own view", async () => {
  expect(await invoke(4, 8)).toMatchObject({
    status: "done",
    output: { text: "drawn" },
    content: [{ type: "text" }, { type: "image", data: "AAAA" }, { type: "image", data: "AAAAAAAA" }],
  });
});

it("fails the call of a tool that shows more than clients take", async () => {
  expect(await invoke(5_000_000, 4_000_000)).toMatchObject({ status: "failed", error: { code: "invalid_output" } });
});
