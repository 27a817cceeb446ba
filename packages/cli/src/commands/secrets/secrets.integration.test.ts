import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@toolwright/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdStore } from "../../../test/hold-store.ts";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let store: Store;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-secrets-"));
  store = await holdStore(join(root, ".local/state/toolwright"));
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

interface Given {
  readonly stdin?: string;
  /** What a person types at the prompt. */
  readonly typed?: string;
}

async function run(argv: readonly string[], { stdin = "", typed }: Given = {}) {
  const asked: unknown[] = [];
  const said = await runIn(root, ["secrets", ...argv], {
    env: { HOME: root },
    readStdin: async () => stdin,
    isInteractive: typed !== undefined,
    ask: async (question, options) => {
      asked.push([question, options]);
      return typed;
    },
  });
  return { ...said, asked };
}

test("a secret is set, listed, kept for an agent, rotated, checked and removed, and its value is never shown", {
  timeout: 90_000,
}, async () => {
  const value = "canary-value-of-the-token";
  const set = await run(["set", "TOKEN"], { stdin: `${value}\n` });
  expect(set).toMatchObject({ code: exitCodes.done, out: "", err: expect.stringContaining("Made the master key") });
  const own = await run(["set", "TOKEN", "--agent", "coder", "--host", "git.example:8443", "api.github.com"], { typed: value });
  expect(own).toMatchObject({ code: exitCodes.done, asked: [[expect.stringContaining("not shown"), { hidden: true }]] });
  expect(own.err).not.toContain("Made the master key");
  expect(own.err).toContain("Calls that name it send it to https://git.example:8443, https://api.github.com.");

  const listed = await run(["list", "--json"]);
  expect(JSON.parse(listed.out)).toMatchObject([{ name: "TOKEN" }, { name: "TOKEN", agent: "coder" }]);
  const table = await run(["list"]);
  expect(table.out).toMatch(/TOKEN +everybody +- .*\nTOKEN +agent coder +git\.example:8443 api\.github\.com /);

  const keyFile = join(root, ".config", "toolwright", "master.key");
  const before = await readFile(keyFile, "utf8");
  const rotated = await run(["rotate", "--new-key"]);
  expect(rotated).toMatchObject({ code: exitCodes.done, out: expect.stringContaining("2 secrets came under the master key") });
  expect((await readFile(keyFile, "utf8")).trim().split("\n")).toHaveLength(before.trim().split("\n").length + 1);
  expect(rotated.err).toMatch(/^Keep the old keys as long as another database or a backup needs them/);
  const again = await run(["rotate", "--json"]);
  expect(JSON.parse(again.out)).toMatchObject({ rewrapped: 0, unreadable: [], place: keyFile });
  expect(again.err).toBe(rotated.err);
  const checked = await run(["check", "--json"]);
  expect(JSON.parse(checked.out)).toMatchObject({ needed: [{ secrets: 2, isCurrent: true, isKnown: true }], unreadable: [] });

  const removed = await run(["remove", "TOKEN", "--agent", "coder", "--json"]);
  expect(removed.code).toBe(exitCodes.done);
  expect(JSON.parse(removed.out)).toEqual({ removed: "TOKEN", agent: "coder" });
  expect(await run(["remove", "TOKEN", "--agent", "coder"])).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("There is no"),
  });
  expect(JSON.stringify([set, own, listed, table, rotated, checked, removed])).not.toContain(value);
});

test("R-NW-5 a secret is not set for hosts that it cannot be bound to", { timeout: 60_000 }, async () => {
  const set = await run(["set", "REFUSED", "--host", "*.github.com"], { stdin: "a value of some length" });
  expect(set).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('cannot be bound to "*.github.com"') });
  expect((await run(["list"])).out).not.toContain("REFUSED");
});

test("a new value is sent where the old one was, which is said, until other hosts or none are named", { timeout: 60_000 }, async () => {
  const set = (...argv: string[]) => run(["set", "BOUND", ...argv, "--json"], { stdin: "a value of some length" });
  await set("--host", "api.shop.example", "--header", "x-shop-key");
  const again = await set();
  expect(JSON.parse(again.out)).toMatchObject({ origins: ["https://api.shop.example"], header: "x-shop-key" });
  expect(again.err).toContain("send it to https://api.shop.example, as before; --no-host ends that.");
  expect(JSON.parse((await set("--host", "other.example")).out)).toMatchObject({ origins: ["https://other.example"] });
  expect(JSON.parse((await set("--no-host")).out).origins).toEqual([]);
  expect((await set("--user", "ann")).err).toContain("Say where, with at least one host");
});

test("hosts that cannot be opened are not kept", { timeout: 60_000 }, async () => {
  const set = (...argv: string[]) => run(["set", "SEALED", ...argv], { stdin: "a value of some length" });
  await set("--host", "api.shop.example");
  await rm(join(root, ".config", "toolwright", "master.key"));
  expect(await set()).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringMatching(/SEALED.*name them with --host, or say --no-host/),
  });
  expect((await set("--no-host")).code).toBe(exitCodes.done);
});

test("a tenant has secrets of its own", { timeout: 60_000 }, async () => {
  await runIn(root, ["tenants", "create", "acme"], { env: { HOME: root } });
  const inAcme = ["--tenant", "acme"];
  await run(["set", "OF_ACME", ...inAcme], { stdin: "a value of acme alone" });
  expect((await run(["list", ...inAcme])).out).toContain("OF_ACME");
  expect((await run(["list"])).out).not.toContain("OF_ACME");
  expect((await run(["remove", "OF_ACME"])).code).toBe(exitCodes.usage);
  expect((await run(["remove", "OF_ACME", ...inAcme])).code).toBe(exitCodes.done);
});

test("a secret is set for no agent that a tenant with agents does not have", { timeout: 60_000 }, async () => {
  const of = (agent: string) => run(["set", "AGENTS", "--agent", agent], { stdin: "a value of some length" });
  expect((await of("codre")).code).toBe(exitCodes.done);
  await runIn(root, ["agents", "create", "coder"], { env: { HOME: root } });
  expect(await of("codre")).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('Did you mean "coder"?') });
  expect((await of("coder")).code).toBe(exitCodes.done);
});

test("a secret that cannot be read is named, with what to do, and the exit code says so", { timeout: 60_000 }, async () => {
  await run(["set", "LOST"], { stdin: "a value that is lost" });
  const keyFile = join(root, ".config", "toolwright", "master.key");
  const keys = await readFile(keyFile, "utf8");
  await rm(keyFile);
  const other = await run(["set", "NEW"], { stdin: "a value under another key" });
  expect(other.err).toContain("need a master key that is not at hand");
  const checked = await run(["check"]);
  expect(checked.code).toBe(exitCodes.failed);
  expect(checked.out).toMatch(/not at hand: put it back[\s\S]*"LOST" of the tenant "default"[\s\S]*toolwright secrets set LOST/);
  expect(keys).not.toBe(await readFile(keyFile, "utf8"));
});

test("a value is not taken from the command line, nor a short one, nor none", { timeout: 60_000 }, async () => {
  expect(await run(["set", "TOKEN", "value-in-argv"])).toMatchObject({ code: exitCodes.usage });
  expect(await run(["set", "TOKEN"], { stdin: "abc\n" })).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("at least 6"),
  });
  expect(await run(["set", "TOKEN"], { stdin: "" })).toMatchObject({ code: exitCodes.usage });
});
