import type { Io } from "../io.ts";
import type { PolicyListener } from "../policy-file/read-policy.ts";

/** Says on stderr which policy is in force after its file changed, or what is wrong with it. */
export function tellPolicy(io: Pick<Io, "err">): PolicyListener {
  return {
    onLoaded: ({ files, revision }) => io.err(`Policy loaded: ${files.join(", ")} (revision ${revision.slice(0, 12)}).\n`),
    onRefused: (error) => io.err(`${error.message}\nThe policy that was in force stays in force.\n`),
  };
}
