import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDockerDriver } from "../drivers/docker.ts";
import { askEngine, engineEnvironment } from "../drivers/docker-engine.ts";
import type { DockerDriverOptions } from "../drivers/docker-machine.ts";
import { nodeFolders } from "../drivers/prepare-spec.ts";

const image = "toolwright-conformance";
/** Where the engine's default limits are above those of its own process, it starts nothing without these. */
const lowLimits = ["--ulimit", "nofile=1024:4096", "--ulimit", "nproc=4096:4096"];
const candidates = [
  [["docker"], []],
  [["podman"], []],
  [["podman", "--runtime", "runc", "--cgroup-manager", "cgroupfs"], lowLimits],
] as const;

export type WorkingEngine = DockerDriverOptions & Required<Pick<DockerDriverOptions, "engine" | "engineEnvironment">>;

/** Options of each engine of this machine that really runs a container. The image is made of nothing but folders; the tools are the machine's, shown read-only. */
export async function findWorkingEngines(): Promise<readonly WorkingEngine[]> {
  const variables = Object.entries(process.env).filter(([name]) => name === "DOCKER_HOST") as [string, string][];
  const working = new Map<string, WorkingEngine>();
  for (const [engine, runArguments] of candidates) {
    if (working.has(engine[0])) continue;
    const readable = ["/usr", ...nodeFolders()];
    const options = { image, engine, runArguments, readable, engineEnvironment: Object.fromEntries(variables) } satisfies WorkingEngine;
    if (!(await importImage(options))) continue;
    const driver = createDockerDriver(options);
    const { available, limits } = await driver.probe();
    await driver.close();
    if (available && limits.memoryMb !== undefined) working.set(engine[0], options);
  }
  return [...working.values()];
}

async function importImage({ engine, engineEnvironment: given }: WorkingEngine): Promise<boolean> {
  const client = { argv: engine, env: engineEnvironment(given) };
  const known = await askEngine(client, ["image", "inspect", image]).catch(() => undefined);
  if (known) return true;
  const folder = mkdtempSync(join(tmpdir(), "toolwright-image-"));
  try {
    const root = join(folder, "root");
    for (const name of ["etc", "usr", "tmp", "proc", "dev", "sys", "run", "var"]) mkdirSync(join(root, name), { recursive: true });
    mkdirSync(join(root, "var/tmp"));
    for (const name of ["tmp", "var/tmp"]) chmodSync(join(root, name), 0o1777);
    for (const name of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(root, name));
    writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/:/bin/sh\n");
    execFileSync("tar", ["-C", root, "-cf", join(folder, "image.tar"), "."]);
    await askEngine(client, ["import", join(folder, "image.tar"), image]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
