import type { JsonObject } from "@toolwright/engine";
import type { GrantPredicate } from "@toolwright/engine/ports";
import { readAllowance } from "../../input/read-allowance.ts";
import { parseObject } from "../../input/read-fields.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import type { Person } from "../context/as-person.ts";
import { findTool } from "../context/find-tool.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";

interface JobCallOptions extends RemoteOptions {
  /** JSON. */
  readonly input?: string;
  /** What runs unasked, in words. */
  readonly allow?: readonly string[];
}

interface JobCall {
  readonly input: JsonObject;
  readonly allows: GrantPredicate[] | undefined;
}

/** The call that a job makes, and what of it runs unasked. Rejects for a tool that there is not. */
export async function readJobCall({ operate, here }: Person, tool: string, options: JobCallOptions): Promise<JobCall> {
  const inForce = here && describePolicyInForce(here.toolwright.policy);
  const { inputSchema } = await findTool(operate, tool, { where: describeWhereabouts(options), inForce });
  const input = options.input === undefined ? {} : parseObject(options.input, tool, inputSchema);
  return { input, allows: options.allow?.map((words) => readAllowance(words, input)) };
}
