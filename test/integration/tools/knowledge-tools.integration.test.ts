import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallResult, createEngine, defaultPolicy, type Engine, type Principal } from "@toolwright/engine";
import { createMemoryForeignMarks, createMemoryKnowledge, createRandomIds, silentLogger, systemClock } from "@toolwright/engine/ports";
import { createHostDriver, filesCapability, httpCapability } from "@toolwright/sandbox";
import { builtinPermissions, knowledgeCapability, knowledgeTools, startDocuments } from "@toolwright/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePdf } from "../../../packages/tools/test/make-pdf.ts";

const root = mkdtempSync(join(tmpdir(), "toolwright-knowledge-"));
const workspace = join(root, "ours");
const driver = createHostDriver();
const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "mcp" };
let asked: string[] = [];
const site = createServer((request, response) => {
  asked.push(request.url ?? "");
  if (request.url === "/missing") response.writeHead(404).end();
  else response.setHeader("content-type", "text/html").end("<title>Terms</title><h1>Terms</h1><p>Deliveries arrive on Fridays.</p>");
});

interface Passage {
  readonly citation: string;
  readonly text: string;
  readonly documentId: string;
  readonly offset: number;
  readonly trust: string;
}

describe("the tools of knowledge", () => {
  const store = createMemoryKnowledge();
  const parts = { store, clock: systemClock, ids: createRandomIds(), logger: silentLogger };
  const engines: Engine[] = [];
  let port = 0;
  beforeAll(async () => {
    mkdirSync(workspace);
    writeFileSync(join(root, "secret.txt"), "secret");
    symlinkSync("../secret.txt", join(workspace, "link.txt"));
    writeFileSync(join(workspace, "manual.pdf"), makePdf([{ lines: ["Introduction"] }, { lines: ["Pumps are greased monthly."] }]));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    port = (site.address() as AddressInfo).port;
  });
  afterAll(async () => {
    for (const engine of engines) await engine.close();
    await driver.close();
    site.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** In which hosts of this machine may be reached, or not. */
  const open = (network: object = {}) => {
    const foreign = createMemoryForeignMarks();
    const engine = createEngine({
      tools: knowledgeTools,
      policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full", network: { ...defaultPolicy.network, ...network } } }],
      capabilities: [
        filesCapability({ workspaceOf: () => workspace, driver }),
        knowledgeCapability({ ...parts, foreign, http: httpCapability() }),
      ],
      foreign,
    });
    engines.push(engine);
    return (tool: string, input: object, session = "s") => engine.scope(principal, { session }).invokeNamed(tool, input as never);
  };
  const errorOf = (result: CallResult) => (result.status === "failed" ? (result.error.toolCode ?? result.error.code) : result.status);
  const outputOf = (result: CallResult) => {
    if (result.status !== "done") throw new Error(JSON.stringify(result));
    return result.output as Record<string, unknown> & { readonly passages: readonly Passage[]; readonly documentId: string };
  };

  it("find a text at once, read around the passage, list the document and delete it", async () => {
    const call = open();
    const text = "# Refunds\n\nRefunds take ten days.\n\n# Returns\n\nReturns are free.";
    const written = outputOf(await call("knowledge_write", { text, title: "Rules" }));
    expect(written).toMatchObject({ version: 1, chunks: 2, job: null, unchanged: false });
    const [passage] = outputOf(await call("knowledge_search", { query: "How long do refunds take?" })).passages;
    expect(passage).toMatchObject({ citation: "Rules, lines 1-3 (Refunds)", trust: "agent", documentId: written.documentId });
    const read = await call("knowledge_get", { documentId: written.documentId, offset: passage?.offset });
    expect(outputOf(read)).toMatchObject({
      text: "# Refunds\n\nRefunds take ten days.\n\n# Returns\n\nReturns are free.",
      nextOffset: null,
    });
    expect(outputOf(await call("knowledge_list", {})).documents).toMatchObject([{ title: "Rules", state: "ready" }]);
    expect(errorOf(await call("knowledge_get", { documentId: written.documentId, offset: 999 }))).toBe("beyond_end");
    expect(outputOf(await call("knowledge_delete", { documentId: written.documentId }))).toMatchObject({ removed: 2 });
    expect(outputOf(await call("knowledge_search", { query: "refunds" })).passages).toEqual([]);
    expect(errorOf(await call("knowledge_delete", { documentId: written.documentId }))).toBe("document_not_found");
  });

  it("name a file that is not read yet as not searched, and cite its page afterwards; its trust is foreign", async () => {
    const call = open();
    const written = outputOf(await call("knowledge_write", { path: "manual.pdf" }));
    expect(written).toMatchObject({ version: 1, chunks: 0, job: `ingest_${written.documentId}_1` });
    expect(outputOf(await call("knowledge_search", { query: "pumps" })).notSearched).toEqual([
      { documentId: written.documentId, title: "manual.pdf", state: "queued" },
    ]);
    expect(errorOf(await call("knowledge_get", { documentId: written.documentId }))).toBe("document_not_ready");
    const stop = startDocuments(parts);
    await expect.poll(async () => (await store.get("acme", written.documentId))?.state, { timeout: 10_000 }).toBe("ready");
    await stop();
    const found = await call("knowledge_search", { query: "How often are pumps greased?" }, "other");
    expect(outputOf(found).passages[0]).toMatchObject({ citation: "manual.pdf, page 2", trust: "foreign" });
    expect(found).toMatchObject({ foreign: { kind: "document", places: [written.documentId] } });
    // A text of a session that has read it may come from it.
    const text = outputOf(await call("knowledge_write", { text: "Pumps are greased." }, "other"));
    expect((await store.get("acme", text.documentId))?.trust).toBe("foreign");
    expect(outputOf(await call("knowledge_write", { path: "manual.pdf" }))).toMatchObject({ unchanged: true, job: null });
  });

  it("read files through the guard of the workspace", async () => {
    const call = open();
    for (const path of ["../secret.txt", "link.txt", join(root, "secret.txt")])
      expect(errorOf(await call("knowledge_write", { path }))).toMatch(/^(path_refused|denied)$/);
    expect(errorOf(await call("knowledge_write", { path: "none.pdf" }))).toBe("file_not_found");
    expect(errorOf(await call("knowledge_write", {}))).toBe("which_document");
    expect(errorOf(await call("knowledge_write", { path: "manual.pdf", text: "x" }))).toBe("which_document");
  });

  it("fetch pages by the rules of the network: what they refuse is never asked", async () => {
    const url = `http://127.0.0.1:${port}/terms`;
    asked = [];
    expect(errorOf(await open()("knowledge_write", { url }))).toMatch(/^(url_refused|denied)$/);
    expect(asked).toEqual([]);
    const call = open({ allow: [`127.0.0.1:${port}`], allow_ranges: ["127.0.0.0/8"] });
    const { documentId } = outputOf(await call("knowledge_write", { url }));
    const stop = startDocuments(parts);
    await expect.poll(async () => (await store.get("acme", documentId))?.state, { timeout: 10_000 }).toBe("ready");
    await stop();
    expect(await store.get("acme", documentId)).toMatchObject({ title: "Terms", trust: "foreign" });
    expect(outputOf(await call("knowledge_search", { query: "When do deliveries arrive?" })).passages[0]?.text).toContain("Fridays");
    expect(errorOf(await call("knowledge_write", { url: `http://127.0.0.1:${port}/missing` }))).toBe("http_status");
  });

  it("are hidden, all five, where the agent has no knowledge", () => {
    const engine = createEngine({
      tools: knowledgeTools,
      capabilities: [
        filesCapability({ workspaceOf: () => workspace, driver }),
        knowledgeCapability({ ...parts, foreign: createMemoryForeignMarks(), http: httpCapability() }),
      ],
    });
    engines.push(engine);
    const namesOf = (attributes: Principal["attributes"]) =>
      engine
        .scope({ ...principal, attributes })
        .list()
        .map(({ name }) => name)
        .sort();
    expect(namesOf({})).toEqual(knowledgeTools.map(({ name }) => name).sort());
    expect(namesOf({ knowledge: false })).toEqual([]);
  });

  it("refuse what is too long, with a code", async () => {
    const call = open();
    expect(errorOf(await call("knowledge_search", { query: "" }))).toBe("invalid_input");
    expect(errorOf(await call("knowledge_search", { query: " " }))).toBe("empty_query");
    expect(errorOf(await call("knowledge_search", { query: "x".repeat(1_000_000) }))).toBe("invalid_input");
    expect(errorOf(await call("knowledge_write", { text: "x".repeat(1_000_001) }))).toBe("invalid_input");
    expect(errorOf(await call("knowledge_list", { cursor: "x" }))).toBe("invalid_input");
  });
});
