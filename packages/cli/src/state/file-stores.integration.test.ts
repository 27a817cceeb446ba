import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRecord } from "@toolwright/engine";
import { approvalStoreConformance, artifactStoreConformance, grantStoreConformance } from "@toolwright/engine/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileApprovalStore } from "./file-approval-store.ts";
import { createFileArtifactStore } from "./file-artifact-store.ts";
import { createFileGrantStore } from "./file-grant-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-state-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const openTemporary = async () => {
  const place = await mkdtemp(join(tmpdir(), "toolwright-state-"));
  return { place, cleanup: () => rm(place, { recursive: true, force: true }) };
};

describe("the approval store on files", () => {
  const cases = approvalStoreConformance(async () => {
    const { place, cleanup } = await openTemporary();
    return { store: createFileApprovalStore(place), reopen: async () => createFileApprovalStore(place), cleanup };
  });
  for (const { name, run } of cases) test(name, run);
});

describe("the grant store on files", () => {
  const cases = grantStoreConformance(async () => {
    const { place, cleanup } = await openTemporary();
    return { store: createFileGrantStore(place), reopen: async () => createFileGrantStore(place), cleanup };
  });
  for (const { name, run } of cases) test(name, run);
});

describe("the artifact store on files", () => {
  const cases = artifactStoreConformance(async () => {
    const { place, cleanup } = await openTemporary();
    return { store: createFileArtifactStore(place), cleanup };
  });
  for (const { name, run } of cases) test(name, run);
});

const record = (id: string, tenant = "acme"): ApprovalRecord => ({
  id,
  callId: "call_1",
  tool: "exec",
  principal: { tenant, actor: { kind: "agent", id: "a" }, permissions: [], door: "mcp" },
  session: "s",
  input: { command: "git push" },
  binding: { input: "", definition: "", policyRevision: "", secrets: "", caller: "", disclosed: "", world: "" },
  decision: { effect: "ask", layer: "command", rule: "r", reason: "r", revision: "1", findings: [] },
  summary: "push",
  createdAt: 1,
  expiresAt: 2,
});

test("R-AP-4: of many processes that claim one approval exactly one gets it", async () => {
  await createFileApprovalStore(folder).create(record("apr_1"));
  const store = new URL("./file-approval-store.ts", import.meta.url).href;
  const claim = `const { createFileApprovalStore } = await import(${JSON.stringify(store)});
    const stores = Array.from({ length: 25 }, () => createFileApprovalStore(${JSON.stringify(folder)}));
    const won = await Promise.all(stores.map((each, at) => each.claim("acme", "apr_1", at)));
    console.log(won.filter(Boolean).length);`;
  const counts = await Promise.all(Array.from({ length: 4 }, () => runNode(claim)));
  expect(counts.map(Number).reduce((sum, count) => sum + count, 0)).toBe(1);
});

test("of many processes that use one grant exactly as many as its count get through", async () => {
  await createFileGrantStore(folder).create({
    id: "grt_1",
    tenant: "acme",
    tool: "exec",
    definition: "d",
    scope: { kind: "tenant" },
    allows: [{ kind: "command", pattern: "npm test" }],
    by: { kind: "user", id: "ann" },
    createdAt: 1,
    expiresAt: 1000,
    maxUses: 7,
  });
  const store = new URL("./file-grant-store.ts", import.meta.url).href;
  const use = `const { createFileGrantStore } = await import(${JSON.stringify(store)});
    const stores = Array.from({ length: 10 }, () => createFileGrantStore(${JSON.stringify(folder)}));
    const used = await Promise.all(stores.map((each) => each.use("acme", "grt_1", 2)));
    console.log(used.filter(Boolean).length);`;
  const counts = await Promise.all(Array.from({ length: 3 }, () => runNode(use)));
  expect(counts.map(Number).reduce((sum, count) => sum + count, 0)).toBe(7);
});

test("R-AP-5: an answer that a killed process was writing is there whole or not at all", async () => {
  const store = createFileApprovalStore(folder);
  const url = new URL("./file-approval-store.ts", import.meta.url).href;
  const answering = `const { createFileApprovalStore } = await import(${JSON.stringify(url)});
    const store = createFileApprovalStore(${JSON.stringify(folder)});
    console.log("ready");
    for (let index = 0; ; index++) await store.answer("acme", "apr_" + index, { outcome: { kind: "approve" }, by: { kind: "user", id: "x".repeat(5000) }, at: index });`;
  for (let index = 0; index < 120; index++) await store.create(record(`apr_${index}`));
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", "--input-type=module", "-e", answering], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await expect.poll(async () => (await store.get("acme", "apr_20"))?.answer !== undefined, { timeout: 10_000, interval: 1 }).toBe(true);
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  const answers = (await store.list("acme")).flatMap(({ answer }) => answer ?? []);
  expect(answers.length).toBeGreaterThan(20);
  for (const answer of answers) expect(answer.by.id).toHaveLength(5000);
});

test("R-TN-3: a tenant named like a path reaches no other tenant's folder", async () => {
  const store = createFileApprovalStore(join(folder, "approvals"));
  for (const tenant of ["../acme", "..", ".", "a/b", "acme"]) await store.create(record("apr_1", tenant));
  expect(await readdir(folder)).toEqual(["approvals"]);
  expect((await readdir(join(folder, "approvals"))).length).toBe(5);
  expect(await store.get("acme", "../acme/apr_1")).toBeUndefined();
});

test("only the owner on the machine can read what is kept", async () => {
  await createFileApprovalStore(folder).create(record("apr_1"));
  const writer = await createFileArtifactStore(folder).create(
    { tenant: "acme", session: "s", callId: "c" },
    { name: "n", mediaType: "text/plain" },
  );
  await writer.write(Buffer.from("secret"));
  const { id } = await writer.finish();
  for (const file of ["apr_1/record.json", `${id}/content`, `${id}/meta.json`]) {
    expect(((await stat(join(folder, "acme", file))).mode & 0o777).toString(8), file).toBe("600");
  }
  expect(await readFile(join(folder, "acme", id, "content"), "utf8")).toBe("secret");
});

function runNode(script: string): Promise<string> {
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  return new Promise((resolve) => child.once("close", () => resolve(text)));
}
