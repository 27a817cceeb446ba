import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeGroups } from "./control-group.ts";
import type { SharedGroups } from "./launch-request.ts";

const held = new Map<string, number>();

/** Makes the groups that the scope's runs are inside of, with the first of them. Throws when a setting is refused: a limit is never dropped. */
export function joinGroups(scope: SharedGroups): void {
  const runs = (held.get(scope.name) ?? 0) + 1;
  held.set(scope.name, runs);
  if (runs > 1) {
    makeRoom(scope, runs);
    return;
  }
  for (const { directory, settings } of scope.groups) {
    try {
      mkdirSync(directory);
    } catch (error) {
      // Left by a run whose end was not seen.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    for (const [file, value] of settings) writeFileSync(join(directory, file), value);
  }
}

/** The processes of a sandbox itself are nobody's share; one run alone has them within its own limit. */
function makeRoom({ groups, processes, launcherProcesses }: SharedGroups, runs: number): void {
  const most = String(processes + launcherProcesses * (runs - 1));
  for (const { directory, settings } of groups)
    if (settings.some(([file]) => file === "pids.max")) writeFileSync(join(directory, "pids.max"), most);
}

/** Removes them with the last run, and what runs left inside them that the kernel took its time with. */
export async function leaveGroups(scope: SharedGroups): Promise<void> {
  const runs = (held.get(scope.name) ?? 1) - 1;
  if (runs > 0) {
    held.set(scope.name, runs);
    try {
      makeRoom(scope, runs);
    } catch {}
    return;
  }
  held.delete(scope.name);
  await removeGroups(scope.groups, () => held.has(scope.name));
}
