import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { SandboxDriver } from "@toolwright/engine/ports";
import type { DriverFixture } from "./conformance-run.ts";

/** Children of this process that start processes for a driver. */
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

/** Finds the spawner of the driver that is made next: other tests of this process may still have theirs. */
function watchSpawners(): () => number | undefined {
  const others = new Set(findSpawners());
  return () => findSpawners().find((pid) => !others.has(pid));
}

/** How another process makes such a driver: a function of `drivers/index.ts`, and options that JSON can carry. */
export interface DriverFactory {
  readonly factory: string;
  readonly options?: object;
}

/** A driver of this package on a temporary workspace; `owner` is a uid for it, when the caller may give one. */
export async function localFixture(make: () => SandboxDriver, owner?: number, recipe?: DriverFactory): Promise<DriverFixture> {
  const supervisor = watchSpawners();
  const driver = make();
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "toolwright-ws-")));
  if (owner !== undefined) await chown(workspace, owner, owner);
  return {
    driver,
    workspace,
    supervisor,
    ...(recipe && { elsewhere: (command, descriptors) => runElsewhere(recipe, { workspace, command, descriptors }) }),
    cleanup: async () => {
      await driver.close();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}

/** One driver for all cases but those that close theirs: to start one costs more than most cases. */
export function sharedDriver(make: () => SandboxDriver) {
  let shared: SandboxDriver | undefined;
  let supervisor: DriverFixture["supervisor"];
  return {
    async fixture({ own }: { readonly own: boolean }, owner?: number, recipe?: DriverFactory): Promise<DriverFixture> {
      if (own) return localFixture(make, owner, recipe);
      supervisor ??= watchSpawners();
      shared ??= make();
      const lender = shared;
      const close = () => Promise.reject(new TypeError("A check that closes its driver says so: closesDriver."));
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

async function runElsewhere({ factory, options = {} }: DriverFactory, { workspace, command, descriptors }: Elsewhere): Promise<string> {
  const script = `
    import { ${factory} } from ${JSON.stringify(new URL("../../drivers/index.ts", import.meta.url).href)};
    const driver = ${factory}(${JSON.stringify(options)});
    const handle = await driver.start({
      program: { shell: ${JSON.stringify(command)} }, workspace: ${JSON.stringify(workspace)}, workdir: ".", writable: true, env: {},
      network: driver.traits.networks[0], limits: {}, protectedPaths: [], stdin: "closed", timeoutMs: 20000,
    });
    handle.onOutput((_stream, chunk) => process.stdout.write(chunk));
    await handle.exited;
    await driver.close();
  `;
  const last = Math.max(2, ...Object.keys(descriptors).map(Number));
  const stdio = Array.from(
    { length: last + 1 },
    (_, index) => descriptors[index] ?? (index === 1 ? "pipe" : index === 2 ? "inherit" : "ignore"),
  );
  const argv = ["--conditions=@toolwright/source", "--input-type=module-typescript", "-e", script];
  return text(spawn(process.execPath, argv, { stdio }).stdout!);
}
