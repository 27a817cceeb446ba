import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Containment } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { Caution } from "../ports/capability.ts";
import { defineTool } from "../tool/define-tool.ts";

const ann: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" };
const found: Caution = { rule: "default.test", reason: "It leads out.", subject: "notes.txt", remedy: "Name another." };
const run = () => ({});
const output = z.object({});

/** One tool that runs commands and one that reads files, on a machine that holds back what is given. */
function setUp(contains?: readonly Containment[], rejects = false) {
  const uncontained = vi.fn(async () => {
    if (rejects) throw new Error("no disk");
    return [found];
  });
  const build = defineTool({
    name: "build",
    description: "Builds.",
    input: z.object({ command: z.string() }),
    output,
    effects: { exec: "run" },
    reaches: ({ command }) => [{ kind: "command", command }],
    run,
  });
  const read = defineTool({
    name: "read",
    description: "Reads.",
    input: z.object({ path: z.string() }),
    output,
    effects: { files: "read" },
    reaches: ({ path }) => [{ kind: "path", path, access: "read" }],
    run,
  });
  const engine = createEngine({
    tools: [build, read],
    capabilities: [
      { name: "exec", open: () => ({}) as never, uncontained },
      { name: "files", open: () => ({}) as never, uncontained },
    ],
    machine: () => ({ sandbox: { available: true, detail: "test", ...(contains && { contains }) } }),
  });
  return { uncontained, scope: engine.scope(ann, { session: "s" }) };
}

describe("a decision that relies on containment (R-SE-2)", () => {
  it("stands where the place of the call holds all of it back, and names it", async () => {
    const { scope, uncontained } = setUp();
    const result = await scope.invoke("build", { command: "cat notes.txt" });
    expect(result.status).toBe("done");
    expect(uncontained).not.toHaveBeenCalled();
    expect(scope.why("build", { command: "cat notes.txt" }).decision?.reliesOn).toEqual(["credentials", "links"]);
    expect(scope.why("build", { command: "true" }).decision?.reliesOn).toBeUndefined();
  });

  it("asks with what is found where the place lacks some of it, and says which is missing", async () => {
    const { scope, uncontained } = setUp(["credentials", "network", "workspace"]);
    const result = await scope.invoke("build", { command: "cat notes.txt" });
    expect(result).toMatchObject({ status: "pending", decision: { rule: found.rule, findings: [{ grantable: false }, {}, {}] } });
    expect(uncontained).toHaveBeenCalledWith(expect.objectContaining({ kind: "command" }), ["links"], expect.anything());
  });

  it("asks where that cannot be found out", async () => {
    const { scope } = setUp([], true);
    expect(await scope.invoke("build", { command: "ls" })).toMatchObject({
      status: "pending",
      decision: { rule: "default.caution.unknown" },
    });
  });

  it("stands for files that our own capability opens, and not for those that another program opens", async () => {
    const { scope, uncontained } = setUp([]);
    expect((await scope.invoke("read", { path: "notes.txt" })).status).toBe("done");
    expect(uncontained).not.toHaveBeenCalled();
    expect(await scope.judge("read", { path: "notes.txt" }, { callId: "c" })).toMatchObject({
      effect: "ask",
      decision: { rule: found.rule },
    });
  });
});
