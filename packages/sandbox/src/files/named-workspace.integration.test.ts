import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type CapabilityProvider, createEngine, defineTool } from "@toolwright/engine";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { execCapability } from "../exec/exec-capability.ts";
import { gitCapability } from "../git/git-capability.ts";
import { filesCapability } from "./files-capability.ts";

const root = mkdtempSync(join(tmpdir(), "tw-named-"));
afterAll(() => rmSync(root, { recursive: true }));
const workspaceOf = () => root;

test.each<[string, object, CapabilityProvider]>([
  ["files", { files: "read" }, filesCapability({ workspaceOf }) as CapabilityProvider],
  ["commands", { exec: "watch" }, execCapability({ workspaceOf, drivers: [] }) as CapabilityProvider],
  ["clones", { git: "clone" }, gitCapability({ workspaceOf, drivers: [] }) as CapabilityProvider],
])("a tool that reaches %s knows its workspace by the folder's name, not by its path", async (_, effects, provider) => {
  const where = defineTool({
    name: "where",
    description: "Names the workspace.",
    input: z.object({}),
    output: z.object({ workspace: z.string() }),
    effects,
    run: (_input, { workspace = "none" }) => ({ workspace }),
  });
  const machine = () => ({ sandbox: { available: true, detail: "test" } });
  const engine = createEngine({ tools: [where], capabilities: [provider], policy: "full", machine });
  const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" } });
  expect(await scope.invokeNamed("where", {})).toMatchObject({ status: "done", output: { workspace: basename(root) } });
});
