import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallResult, createEngine, type Logger, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { createMemoryEventLog, type SandboxDriver } from "@toolwright/engine/ports";
import { createBwrapDriver, createHostDriver, type GitCapabilityOptions, gitCapability } from "@toolwright/sandbox";
import { builtinPermissions, gitTools } from "@toolwright/tools";
import { afterAll, afterEach } from "vitest";
import { type GitServer, type GitServerOptions, openGitServer } from "./git-server.ts";

const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "cli" };
const isolating = createBwrapDriver();
const drivers: readonly SandboxDriver[] = [isolating, createHostDriver()];
/** The drivers of this machine in which git is tried, strongest first. */
export const modes = (await isolating.probe()).available ? (["bwrap", "host"] as const) : (["host"] as const);
const cleanups: (() => unknown)[] = [];

/** Runs after the test, the latest first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => Promise.all(drivers.map((driver) => driver.close())));

export async function serve(options: GitServerOptions = {}): Promise<GitServer> {
  const server = await openGitServer(options);
  afterwards(() => server[Symbol.asyncDispose]());
  return server;
}

export interface Setup extends Partial<GitCapabilityOptions> {
  readonly mode?: string;
  readonly network?: object;
}

/** The whole product around git_clone, with the loopback opened. */
export function openWorkplace(server: Pick<GitServer, "port">, { mode = modes[0], network = {}, ...options }: Setup = {}) {
  const workspace = mkdtempSync(join(tmpdir(), "toolwright-git-"));
  // A sandbox that is made ahead may just put its mount points there.
  afterwards(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 10 }));
  const logged: string[] = [];
  const logger: Logger = { log: (level, message, fields) => void logged.push(JSON.stringify([level, message, fields])) };
  const events = createMemoryEventLog();
  const workspaceOf = () => workspace;
  const capabilities = [gitCapability({ workspaceOf, drivers, logger, ...options })];
  const document = policyDocument.parse({
    version: 1,
    sandbox: { mode, network: mode === "host" ? "host" : "none" },
    network: { allow: [`127.0.0.1:${server.port}`], allow_ranges: ["127.0.0.1/32"], ...network },
  });
  const machine = () => ({ sandbox: { available: true, detail: "" } });
  const engine = createEngine({ machine, tools: gitTools, capabilities, events, logger, policy: [{ tier: "platform", document }] });
  afterwards(() => engine.close());
  const scope = engine.scope(principal, { session: "s" });
  return { workspace, scope, logged, events, base: `http://127.0.0.1:${server.port}` };
}

export function output(result: CallResult) {
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  return result.output as { path: string; branch: string | null; commit: string | null; warnings: string[] };
}

/** Empty for what is not there or may not be read. */
export function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
