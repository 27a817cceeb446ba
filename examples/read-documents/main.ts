import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "@toolwright/engine";
import { filesCapability } from "@toolwright/sandbox";
import { builtinPermissions, documentRead } from "@toolwright/tools";

const workspace = await mkdtemp(join(tmpdir(), "read-documents-"));
await copyFile(new URL("handbook.pdf", import.meta.url), join(workspace, "handbook.pdf"));

const engine = createEngine({
  tools: [documentRead],
  capabilities: [filesCapability({ workspaceOf: () => workspace })],
});
const ann = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: builtinPermissions, door: "code" } as const;
const scope = engine.scope(ann, { session: "s1" });

// #region read
const readFrom = (from: object) => scope.invoke("document_read", { path: "handbook.pdf", maxChars: 150, ...from });

const pages = new Map<number, string>();
for (let from: object | null = {}; from !== null; ) {
  const read: Awaited<ReturnType<typeof readFrom>> = await readFrom(from);
  if (read.status !== "done") throw new Error(`The handbook was not read: ${read.status}`);
  for (const { page, text } of read.output.parts) pages.set(page ?? 0, text);
  from = read.output.next;
}
// #endregion

assert.match(pages.get(2) ?? "", /refunded within 14 days/);
assert.equal(pages.get(3), "Part\tPrice\nFilter\t4.50\nSeal\t1.20");

const beyond = await scope.invoke("document_read", { path: "handbook.pdf", pages: "9" });
assert.ok(beyond.status === "failed" && beyond.error.code === "document_unreadable");

await engine.close();
await rm(workspace, { recursive: true });
console.log(`read-documents: ${pages.size} pages of a PDF read in parts, and its table kept its cells.`);
