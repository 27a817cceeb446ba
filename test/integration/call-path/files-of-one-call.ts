/**
 * Prints, as JSON, the source files that one call of `exec` over MCP passes: those of which a function ran, by V8's precise coverage.
 * It is the shortest of several calls, since what a call leaves behind may still be at work during the next.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { createEngine, defaultPolicy, type Principal } from "@toolwright/engine";
import { createMemorySealKeys } from "@toolwright/engine/ports";
import { createBwrapDriver, execCapability, filesCapability } from "@toolwright/sandbox";
import { fileTools, runtimeTools } from "@toolwright/tools";

const calls = 10;
const version = "2026-07-28";
const principal: Principal = {
  tenant: "default",
  actor: { kind: "user", id: "ann" },
  permissions: ["commands.tenant.run"],
  door: "mcp",
};

const workspace = mkdtempSync(join(tmpdir(), "toolwright-call-path-"));
const workspaceOf = () => workspace;
const driver = createBwrapDriver({});
const sandbox = await driver.probe();
const engine = createEngine({
  tools: [...fileTools, ...runtimeTools],
  policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full" } }],
  capabilities: [filesCapability({ workspaceOf }), execCapability({ workspaceOf, drivers: [driver] })],
  machine: () => ({ sandbox }),
});
const door = createMcpDoor({
  engine,
  serverInfo: { name: "toolwright", version: "1.0.0" },
  authentication: openAccess(principal),
  sealKeys: createMemorySealKeys(Buffer.alloc(32, "k")),
});

async function call(id: number): Promise<void> {
  const protocol = "io.modelcontextprotocol";
  const meta = {
    [`${protocol}/protocolVersion`]: version,
    [`${protocol}/clientInfo`]: { name: "client", version: "1" },
    [`${protocol}/clientCapabilities`]: {},
  };
  const params = { name: "exec", arguments: { command: "echo from-the-sandbox" }, _meta: meta };
  const response = await door.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        host: "localhost",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": "exec",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
    }),
  );
  const text = await response.text();
  if (!text.includes("from-the-sandbox\\n")) throw new Error(`The command did not run: ${text}`);
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

async function filesOf(work: () => Promise<void>): Promise<string[]> {
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result.flatMap(({ url, functions }) => {
    const [, path] = /\/(packages\/[^/]+\/src\/.*)$/.exec(url) ?? [];
    // The one that begins at 0 is the module itself.
    const ran = functions.some(({ ranges: [whole] }) => whole !== undefined && whole.startOffset > 0 && whole.count > 0);
    return path !== undefined && ran ? [path] : [];
  });
}

let shortest: string[] | undefined;
for (let id = 0; id < calls; id += 1) {
  const files = await filesOf(() => call(id));
  if (shortest === undefined || files.length < shortest.length) shortest = files;
}
process.stdout.write(JSON.stringify(shortest?.sort()));
await door.close();
await engine.close();
await driver.close();
rmSync(workspace, { recursive: true });
