import { chownSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CallResult, createEngine, type Principal, type Scope } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { execCapability, filesCapability } from "@toolwright/sandbox";
import { builtinPermissions, fileTools, runtimeTools } from "@toolwright/tools";
import type { Sandbox } from "./sandboxes.ts";

const agent: Principal = { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" };
const person: Principal = {
  tenant: "t",
  actor: { kind: "user", id: "u" },
  permissions: [...builtinPermissions, "approvals:answer"],
  door: "cli",
  interactive: true,
};

export interface Workplace extends AsyncDisposable {
  readonly workspace: string;
  /** As an agent: what asks stays pending. */
  readonly scope: Scope;
  write(path: string, text: string, mode?: number): void;
  /** Gives everything to the user whom the workspace belongs to. */
  settle(): void;
  /** One command, with its whole result as text. */
  run(command: string): Promise<{ readonly result: CallResult; readonly text: string }>;
  /** Says yes to what waits, and goes on with it. */
  answerAndResume(approval: string): Promise<{ readonly result: CallResult; readonly text: string }>;
  /** The same as `run`, once a person said yes to it. */
  runApproved(command: string): Promise<{ readonly result: CallResult; readonly text: string }>;
}

/** A workspace in a sandbox behind the gate, under the default policy with these commands allowed. */
export function openWorkplace(sandbox: Sandbox, allow: readonly string[] = []): Workplace {
  const { driver } = sandbox;
  const workspace = sandbox.makeWorkspace();
  const rules = allow.map((pattern) => ({ pattern, effect: "allow" as const }));
  const engine = createEngine({
    tools: [...fileTools, ...runtimeTools],
    capabilities: [
      filesCapability({ workspaceOf: () => workspace, driver }),
      execCapability({ drivers: [driver], workspaceOf: () => workspace }),
    ],
    machine: () => ({ sandbox: { available: true, detail: "the attacked one" } }),
    policy: [
      {
        tier: "platform",
        document: policyDocument.parse({ version: 1, commands: { mode: "full", rules }, sandbox: { mode: driver.name } }),
      },
    ],
  });
  const scope = engine.scope(agent, { session: "s" });
  const answering = engine.scope(person, { session: "of-person" });
  const answerAndResume = async (approval: string) => {
    await answering.answer(approval, { kind: "approve" });
    return tell(await scope.resume(approval));
  };
  const tell = (result: CallResult) => ({ result, text: JSON.stringify(result) });
  return {
    workspace,
    scope,
    write(path, text, mode = 0o644) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text, { mode });
    },
    settle() {
      const { uid, gid } = lstatSync(workspace);
      if (uid === process.getuid?.()) return;
      for (const entry of readdirSync(workspace, { recursive: true, withFileTypes: true }))
        if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), uid, gid);
    },
    run: async (command) => tell(await scope.invokeNamed("exec", { command })),
    async runApproved(command) {
      const asked = await scope.invokeNamed("exec", { command });
      if (asked.status !== "pending") throw new Error(`It did not ask: ${JSON.stringify(asked)}`);
      return answerAndResume(asked.approval.id);
    },
    answerAndResume,
    async [Symbol.asyncDispose]() {
      await engine.close();
      // The sandbox takes away what it put there a moment later.
      rmSync(workspace, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
