import { readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxRuntime } from "@toolwright/engine";
import type { RuntimeFixture } from "./conformance-run.ts";

/** Children of this process that start processes for a runtime. */
export function findSpawners(): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const isOurs = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]) === process.pid;
      return isOurs && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("spawner-main") ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** A runtime of this package on a temporary workspace; `owner` is a uid for it, when the caller may give one. */
export async function localFixture(make: () => SandboxRuntime, owner?: number): Promise<RuntimeFixture> {
  const runtime = make();
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "toolwright-ws-")));
  if (owner !== undefined) await chown(workspace, owner, owner);
  return {
    runtime,
    workspace,
    supervisor: () => findSpawners()[0],
    cleanup: async () => {
      await runtime.close();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}
