// A program asks tools over REST, with curl: a call, a call that a person approves, and one that runs on by itself.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defineTool } from "@toolwright/engine";
import { createToolwright } from "@toolwright/server";
import { z } from "zod";
import wordCount from "../first-tool/word-count.tool.ts";

const workspace = await mkdtemp(join(tmpdir(), "rest-"));
await writeFile(join(workspace, "notes.txt"), "three short words");

const refunded: string[] = [];
const refund = defineTool({
  name: "refund",
  description: "Refund an order. It asks a person first.",
  input: z.object({ order: z.string() }),
  output: z.object({ refunded: z.string() }),
  effects: { destructive: true },
  run: async ({ order }) => {
    refunded.push(order);
    return { refunded: order };
  },
});
const report = defineTool({
  name: "report",
  description: "Write the report of the month, which takes a while.",
  input: z.object({}),
  output: z.object({ pages: z.int() }),
  effects: { destructive: true },
  run: async (_, { progress }) => {
    progress(1, 1, "written");
    return { pages: 12 };
  },
});

// #region serve
const toolwright = await createToolwright({
  workspace,
  tools: [wordCount, refund, report],
  policy: { autonomy: "full", ask: ["refund"] },
  identify: (request) =>
    request.headers.get("authorization") === "Bearer ann-secret"
      ? { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: ["log:read"] }
      : undefined,
});
const { url } = await toolwright.listen({ port: 0 });
// #endregion

const env = { ...process.env, SERVER: url, KEY: "ann-secret" };
const shell = async (file: string) => {
  const script = join(import.meta.dirname, file);
  const { stdout } = await promisify(execFile)("sh", ["-e", script], { cwd: workspace, env, timeout: 20_000 });
  return JSON.parse(stdout) as { status: string; output: unknown };
};

assert.partialDeepStrictEqual(await shell("call.sh"), { status: "done", output: { words: 3 } });
assert.partialDeepStrictEqual(await shell("approve.sh"), { status: "done", output: { refunded: "1042" } });
assert.deepEqual(refunded, ["1042"]);
assert.partialDeepStrictEqual(await shell("later.sh"), { status: "success", output: { pages: 12 } });

await toolwright.close();
await rm(workspace, { recursive: true });
console.log("rest: curl counted 3 words, had a refund approved and run once, and came back for a report.");
