// A program uses the tools of a server with the typed client: calls, an approval, a stream, and what goes wrong.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, RequestError } from "@toolwright/doors/rest/client";
import { defineTool, type TypesOf } from "@toolwright/engine";
import { createToolwright } from "@toolwright/server";
import { z } from "zod";
import wordCount from "../first-tool/word-count.tool.ts";

const refund = defineTool({
  name: "refund",
  description: "Refund an order. It asks a person first.",
  input: z.object({ order: z.string() }),
  output: z.object({ refunded: z.string() }),
  effects: { destructive: true },
  run: async ({ order }, { progress }) => {
    progress(1, 2, "booked");
    return { refunded: order };
  },
});
const tools = [wordCount, refund] as const;

const workspace = await mkdtemp(join(tmpdir(), "rest-client-"));
await writeFile(join(workspace, "notes.txt"), "three short words");
const toolwright = await createToolwright({
  workspace,
  tools,
  policy: { autonomy: "full", ask: ["refund"] },
  identify: (request) =>
    request.headers.get("authorization") === "Bearer ann-secret"
      ? { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: ["log:read"] }
      : undefined,
});
const { url } = await toolwright.listen({ port: 0 });

// #region call
const client = createClient<TypesOf<typeof tools>>({ url, key: "ann-secret" });

const counted = await client.call("word_count", { path: "notes.txt" });
if (counted.status === "done") console.log(`${counted.output.words} words`);

const { items } = await client.operate("tools.list", {});
console.log(`${items.length} tools, ${items.filter(({ hints }) => hints.readOnlyHint).length} of which change nothing`);
// #endregion
assert.equal(counted.status === "done" && counted.output.words, 3);
assert(items.some(({ name }) => name === "refund"));

// #region approve
const pending = await client.call("refund", { order: "1042" });
if (pending.status === "pending") {
  await client.operate("approvals.answer", { id: pending.approval.id, outcome: { kind: "approve" } });
  const done = await client.resume(pending.approval.id);
  console.log(done.status);
}
// #endregion
assert.equal(pending.status, "pending");

// #region stream
for await (const { event, data } of client.stream("word_count", { path: "notes.txt" })) {
  if (event === "progress") console.log(`${data.done} of ${data.total}`);
  if (event === "result") console.log(data.status);
}
// #endregion

const seen: string[] = [];
// #region follow
const stop = new AbortController();
const session = "nightly";
await client.call("word_count", { path: "notes.txt" }, { session });
for await (const { event } of client.follow("events.list", { session, after: 0 }, { signal: stop.signal })) {
  seen.push(event.type);
  if (event.type === "tool.completed") stop.abort();
}
// #endregion
assert.deepEqual(seen, ["tool.started", "tool.completed"]);

let problem = "";
// #region error
try {
  await client.call("word_count", { path: "gone.txt" });
} catch (error) {
  if (!(error instanceof RequestError)) throw error;
  problem = `${error.code}: ${error.message} (${error.callId})`;
}
// #endregion
assert.match(problem, /^file_not_found: .*gone\.txt.* \(call_[\w-]+\)$/);

await toolwright.close();
await rm(workspace, { recursive: true });
console.log("rest-client: counted 3 words, had a refund approved, followed a session, and learnt which file is missing.");
