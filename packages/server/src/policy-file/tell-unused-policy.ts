import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ServerIo } from "../io.ts";
import { policyNames, type Settings } from "../settings.ts";

/** Says that a policy file of the current folder is not obeyed: it came with the folder, or its author forgot to name it (R-AP-8). */
export function tellUnusedPolicy({ policyFile, policyPlaces }: Settings, io: Pick<ServerIo, "cwd" | "err">): void {
  if (policyPlaces === undefined) return;
  const real = policyFile === undefined ? undefined : realpathSync(policyFile);
  const name = policyNames.find((each) => existsSync(join(io.cwd, each)) && realpathSync(join(io.cwd, each)) !== real);
  if (name !== undefined)
    io.err(`Left out: ./${name}. A policy of the current folder is not in force until you name it: --policy ${name}\n`);
}
