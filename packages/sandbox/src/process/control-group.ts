import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ControlGroup } from "./launch-request.ts";

/** Milliseconds until groups are empty, at most. */
const emptyMs = 8_000;

const read = (directory: string, file: string): string => {
  try {
    return readFileSync(join(directory, file), "utf8");
  } catch {
    return "";
  }
};

/** Makes the groups of one run. Throws when a setting is refused: a limit is never dropped. */
export function createGroups(groups: readonly ControlGroup[]): void {
  for (const { directory, settings } of groups) {
    mkdirSync(directory);
    for (const [file, value] of settings) writeFileSync(join(directory, file), value);
  }
}

export function groupMembers(groups: readonly ControlGroup[]): number[] {
  return [...new Set(groups.flatMap(({ directory }) => read(directory, "cgroup.procs").split("\n").filter(Boolean).map(Number)))];
}

/** Kills all members at once where the kernel can (cgroup v2, 5.14 and later). Returns false where it cannot. */
export function killGroups(groups: readonly ControlGroup[]): boolean {
  for (const { directory } of groups) {
    const file = join(directory, "cgroup.kill");
    if (!existsSync(file)) continue;
    try {
      // Not created when absent: a group may be removed meanwhile.
      writeFileSync(file, "1", { flag: "r+" });
      return true;
    } catch {}
  }
  return false;
}

/** The first of the files that a group has: flat and keyed, "name value" a line. */
function statistics(groups: readonly ControlGroup[], files: readonly string[]): string {
  for (const { directory } of groups) for (const file of files) if (existsSync(join(directory, file))) return read(directory, file);
  return "";
}

const counter = (text: string, name: string): number => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);

/** What the kernel counted against the run's limits; v1 and v2 names. */
export function readLimitHits(groups: readonly ControlGroup[]): { memory: boolean; processes: boolean; cpu: boolean } {
  const cpu = statistics(groups, ["cpu.stat"]);
  const periods = counter(cpu, "nr_periods");
  return {
    memory: counter(statistics(groups, ["memory.events", "memory.oom_control"]), "oom_kill") > 0,
    processes: counter(statistics(groups, ["pids.events"]), "max") > 0,
    cpu: periods >= 10 && counter(cpu, "nr_throttled") > periods / 2,
  };
}

/**
 * Removes the groups, and those inside them; a group stays busy until the kernel has reaped its last member, which takes seconds on a busy machine.
 * @param isWanted - true once somebody uses them again: they stay.
 */
export async function removeGroups(groups: readonly ControlGroup[], isWanted = () => false): Promise<void> {
  const deadline = performance.now() + emptyMs;
  for (const { directory } of groups) while (!isWanted() && isBusy(directory) && performance.now() < deadline) await delay(25);
}

/** Removes the group, unless somebody is in it. */
function isBusy(directory: string): boolean {
  try {
    for (const inside of readdirSync(directory, { withFileTypes: true })) if (inside.isDirectory()) isBusy(join(directory, inside.name));
    rmdirSync(directory);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EBUSY";
  }
}
