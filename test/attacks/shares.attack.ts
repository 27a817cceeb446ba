import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallResult, createEngine, defineTool, type Principal } from "@toolwright/engine";
import { systemClock } from "@toolwright/engine/ports";
import { filesCapability } from "@toolwright/sandbox";
import { codeCapability, codeRun, documentRead } from "@toolwright/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

/** R-SH-1: somebody takes all places of a pool; the next free one goes to another who waits, of another tenant and of the same. */
let workspace: string;
let open: PromiseWithResolvers<void>;
/** Programs and documents whose turn came, by who asked, in order. */
const begun: string[] = [];

const engine = createEngine({
  tools: [
    codeRun,
    documentRead,
    defineTool({
      ...{ name: "probe", description: "Says that the turn of its program came.", input: z.object({}), output: z.object({}), effects: {} },
      async run(_, { tenant, actor, signal }) {
        begun.push(`${tenant} ${actor}`);
        if (begun.at(-1) === "flooder ann") await Promise.race([open.promise, ended(signal)]);
        return {};
      },
    }),
  ],
  capabilities: [codeCapability({ clock: systemClock }), filesCapability({ workspaceOf: () => workspace })],
  policy: { autonomy: "full" },
});

const ended = (signal: AbortSignal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

const scopeOf = (tenant: string, id: string) => {
  const principal: Principal = {
    ...{ tenant, actor: { kind: "user", id }, permissions: ["code.tenant.run", "files.tenant.read"], door: "rest" },
  };
  return engine.scope(principal, { session: `s-${id}` });
};
type Scope = ReturnType<typeof scopeOf>;

const flooder = scopeOf("flooder", "ann");
const others: readonly [who: string, scope: Scope][] = [
  ["another tenant", scopeOf("other", "ann")],
  ["another person of the tenant", scopeOf("flooder", "bob")],
];

const runProgram = (scope: Scope, program: string, signal?: AbortSignal) =>
  scope.invokeNamed("code_run", { program }, signal ? { signal } : {});
const statusOf = (result: CallResult) => (result.status === "failed" ? result.error.code : result.status);

beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), "toolwright-shares-"));
  writeFileSync(join(workspace, "notes.txt"), "A note.\n".repeat(1_000));
});
afterAll(async () => {
  await engine.close();
  rmSync(workspace, { recursive: true, force: true });
});

describe("programs", () => {
  it.each(others)("that wait for their tools hold no place that %s waits for", { timeout: 60_000 }, async (_, scope) => {
    open = Promise.withResolvers();
    begun.length = 0;
    const flood = Array.from({ length: 8 }, () => runProgram(flooder, "await tools.probe({}); return 1"));
    await expect.poll(() => begun.length, { timeout: 50_000 }).toBe(8);
    expect(statusOf(await runProgram(scope, "return 1"))).toBe("done");
    open.resolve();
    expect((await Promise.all(flood)).map(statusOf)).toEqual(Array(8).fill("done"));
  });

  it.each(others)("that compute leave the next place to %s, as long as the flood goes on", { timeout: 60_000 }, async (_, scope) => {
    let isServed = false;
    const flood = Array.from({ length: 20 }, async () => {
      while (!isServed) expect(["done", "busy"]).toContain(statusOf(await runProgram(flooder, "for (let n = 0; n < 3e5; n++); return 1")));
    });
    expect(statusOf(await runProgram(scope, "return 1"))).toBe("done");
    isServed = true;
    await Promise.all(flood);
  });

  it("beyond a person's queue are refused with one code, a sentence and a time", { timeout: 60_000 }, async () => {
    open = Promise.withResolvers();
    const flood = Array.from({ length: 60 }, () => runProgram(flooder, "await tools.probe({}); return 1"));
    expect(await Promise.race(flood)).toMatchObject({
      error: {
        code: "busy",
        message: expect.stringMatching(
          /^This server is busy: \d+ of 32 places for programs are in use, and you have 16 requests waiting\. Try again in \d+ s\.$/,
        ),
        details: { retryAfterMs: expect.any(Number) },
      },
    });
    open.resolve();
    await Promise.all(flood);
  });
});

describe("documents", () => {
  it.each(others)("of who floods are read in turn with those of %s", { timeout: 60_000 }, async (_, scope) => {
    const order: string[] = [];
    const read = async (by: Scope, who: string) => {
      expect(statusOf(await by.invokeNamed("document_read", { path: "notes.txt" }))).toBe("done");
      order.push(who);
    };
    await Promise.all([...Array.from({ length: 8 }, () => read(flooder, "flooder")), read(scope, "other")]);
    // Two are read at once: the two that began, and one beside the other's.
    expect(order.indexOf("other")).toBeLessThanOrEqual(3);
  });
});
