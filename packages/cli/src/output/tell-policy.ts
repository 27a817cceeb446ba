import type { PolicyObserver } from "@toolwright/server";
import { describeSandbox } from "@toolwright/server/machine";
import type { Io } from "../io.ts";

/** Says on stderr which policy is in force after its file changed or appeared, and what commands run in now, or what is wrong with it. */
export function tellPolicy(io: Pick<Io, "err">): PolicyObserver {
  return {
    onLoaded({ files, revision }, posture) {
      io.err(`Policy loaded: ${files.join(", ")} (revision ${revision.slice(0, 12)}).\nSandbox: ${describeSandbox(posture)}.\n`);
    },
    onRefused: (error) => io.err(`${error.message}\nThe policy that was in force stays in force.\n`),
  };
}
