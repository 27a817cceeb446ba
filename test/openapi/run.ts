import { fileURLToPath } from "node:url";
import { agentTools } from "@toolwright/agents";
import { createEngine } from "@toolwright/engine";
import { READ_LOG, RUN_AGENTS } from "@toolwright/engine/ports";
import { builtinPermissions, builtinTools } from "@toolwright/tools";
import { describeApi, writeDocument } from "../../packages/doors/src/rest/openapi/document.ts";
import { operations } from "../../scripts/product-subjects.ts";
import { installOnDemand } from "../install-on-demand.ts";
import { useGeneratedClient } from "./generated-client.ts";
import { lintByRedocly, lintBySpectral } from "./lint.ts";
import { recordedTools } from "./recorded-tools.ts";

/** Holds the OpenAPI document against its linters and against a client that is generated from it; exits 1 when one complains. */
await installOnDemand(fileURLToPath(new URL(".", import.meta.url)));

const server = { name: "toolwright", version: "0.1.0", base: "/api", open: false, turnTool: "agent_run", takesWebhooks: true };

/** Every operation, the built-in tools, those of agents, and a tool for each recorded schema. */
async function wholeDocument(): Promise<string> {
  const capabilities = ["files", "exec", "http", "git", "agents"].map((name) => ({ name, open: () => ({}) }));
  const engine = createEngine({ tools: [...builtinTools, ...agentTools], capabilities: capabilities as never });
  const owner = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [...builtinPermissions, RUN_AGENTS, READ_LOG] } as const;
  const { items } = await engine.operate(owner, "tools.list", {});
  return writeDocument(describeApi({ operations, tools: [...items, ...recordedTools(items[0]!)] }, server), server);
}

/** For somebody without a permission or a tool. */
const least = () =>
  writeDocument(describeApi({ operations: operations.filter(({ permission }) => permission === undefined), tools: [] }, server), server);

const source = await wholeDocument();
const parts: readonly (readonly [name: string, complaints: () => Promise<readonly string[]>])[] = [
  ["Redocly recommended-strict", () => lintByRedocly(source)],
  ["Redocly, for a caller without permissions", () => lintByRedocly(least())],
  ["Spectral spectral:oas", () => lintBySpectral(source)],
  ["a client by openapi-typescript and openapi-fetch", useGeneratedClient],
];
for (const [name, find] of parts) {
  const startedAt = performance.now();
  const complaints = await find();
  const shown = complaints.slice(0, 40).map((line) => `  ${line}\n`);
  process.stdout.write(`\n=== ${name}: ${complaints.length === 0 ? "passed" : "FAILED"}\n`);
  process.stdout.write(`${complaints.length} complaints, ${Math.round(performance.now() - startedAt)} ms\n${shown.join("")}`);
  if (complaints.length > 0) process.exitCode = 1;
}
