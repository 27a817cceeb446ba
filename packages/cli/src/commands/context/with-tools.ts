import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import type { RemoteOptions } from "../../remote/server.ts";
import type { CommonOptions } from "../../settings.ts";
import { type Operate, operateAs } from "./operate.ts";
import { operateAt } from "./operate-at.ts";
import { requireKnownAgent } from "./require-agent.ts";
import { withToolwright } from "./with-toolwright.ts";

export type ToolsOptions = CommonOptions & Pick<RemoteOptions, "server"> & { readonly agent?: string };

export interface OpenTools {
  readonly operate: Operate;
  /** The policy of this machine, in a sentence. */
  readonly inForce: string | undefined;
}

/** For commands that look at tools as whoever runs them, or an agent, may use them. */
export async function withTools(io: Io, options: ToolsOptions, use: (open: OpenTools) => Promise<number>): Promise<number> {
  const { agent, server } = options;
  if (server !== undefined && agent !== undefined) throw new CliError("With --server, the key says which agent it is. Leave --agent out.");
  if (server !== undefined) return use({ operate: await operateAt(io, options), inForce: undefined });
  return withToolwright(io, { ...options, callsNothing: true }, async (toolwright) => {
    await requireKnownAgent(toolwright, undefined, agent);
    const operate = operateAs(cliScope(toolwright, io, { agent }), toolwright);
    return use({ operate, inForce: describePolicyInForce(toolwright.policy) });
  });
}
