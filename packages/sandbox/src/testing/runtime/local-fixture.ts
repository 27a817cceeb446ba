import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { SandboxRuntime } from "@toolwright/engine/ports";
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

/** Finds the spawner of the runtime that is made next: other tests of this process may still have theirs. */
function watchSpawners(): () => number | undefined {
  const others = new Set(findSpawners());
  return () => findSpawners().find((pid) => !others.has(pid));
}

/** How another process makes such a runtime: a function of `runtimes/index.ts`, and options that JSON can carry. */
export interface RuntimeRecipe {
  readonly factory: string;
  readonly options?: object;
}

/** A runtime of this package on a temporary workspace; `owner` is a uid for it, when the caller may give one. */
export async function localFixture(make: () => SandboxRuntime, owner?: number, recipe?: RuntimeRecipe): Promise<RuntimeFixture> {
  const supervisor = watchSpawners();
  const runtime = make();
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "toolwright-ws-")));
  if (owner !== undefined) await chown(workspace, owner, owner);
  return {
    runtime,
    workspace,
    supervisor,
    ...(recipe && { elsewhere: (command, descriptors) => runElsewhere(recipe, { workspace, command, descriptors }) }),
    cleanup: async () => {
      await runtime.close();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}

/** One runtime for all cases but those that close theirs: to start one costs more than most cases. */
export function sharedRuntime(make: () => SandboxRuntime) {
  let shared: SandboxRuntime | undefined;
  let supervisor: RuntimeFixture["supervisor"];
  return {
    async fixture({ own }: { readonly own: boolean }, owner?: number, recipe?: RuntimeRecipe): Promise<RuntimeFixture> {
      if (own) return localFixture(make, owner, recipe);
      supervisor ??= watchSpawners();
      shared ??= make();
      const lender = shared;
      const close = () => Promise.reject(new TypeError("A check that closes its runtime says so: closesRuntime."));
      const fixture = await localFixture(() => ({ ...lender, close }), owner, recipe);
      return { ...fixture, supervisor, cleanup: () => rm(fixture.workspace, { recursive: true, force: true }) };
    },
    close: async () => shared?.close(),
  };
}

interface Elsewhere {
  readonly workspace: string;
  readonly command: string;
  readonly descriptors: Readonly<Record<number, number>>;
}

async function runElsewhere({ factory, options = {} }: RuntimeRecipe, { workspace, command, descriptors }: Elsewhere): Promise<string> {
  const script = `
    import { ${factory} } from ${JSON.stringify(new URL("../../runtimes/index.ts", import.meta.url).href)};
    const runtime = ${factory}(${JSON.stringify(options)});
    const handle = await runtime.start({
      program: { shell: ${JSON.stringify(command)} }, workspace: ${JSON.stringify(workspace)}, workdir: ".", writable: true, env: {},
      network: runtime.traits.networks[0], limits: {}, protectedPaths: [], stdin: "closed", timeoutMs: 20000,
    });
    handle.onOutput((_stream, chunk) => process.stdout.write(chunk));
    await handle.exited;
    await runtime.close();
  `;
  const last = Math.max(2, ...Object.keys(descriptors).map(Number));
  const stdio = Array.from(
    { length: last + 1 },
    (_, index) => descriptors[index] ?? (index === 1 ? "pipe" : index === 2 ? "inherit" : "ignore"),
  );
  const argv = ["--conditions=@toolwright/source", "--input-type=module-typescript", "-e", script];
  return text(spawn(process.execPath, argv, { stdio }).stdout!);
}
