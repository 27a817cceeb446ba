import type { Command } from "commander";
import type { CommonOptions } from "../../settings.ts";
import { type Define, groupOf, type Load, withCommon } from "../define.ts";

/** The commands about policies. */
export function definePolicy(program: Command, define: Define): void {
  const policy = groupOf(program, "policy");
  const about = (signature: string, description: string, load: Load<CommonOptions>) =>
    withCommon(define(signature, description, load, policy));
  about(
    "lint [file]",
    "Name dead and shadowed rules, unknown tools and agents, and what lower tiers ask for in vain",
    async () => (await import("./lint.ts")).lint,
  )
    .option("--tenant <name>", "include this tenant's policy and compare with its agents (default: the agents of all tenants)")
    .option("--server <url>", "lint the file as the policy of the key's tenant on this server");
  withCommon(
    define(
      "simulate",
      "Decide recorded calls under a changed policy, and list what would go differently",
      async () => (await import("./simulate.ts")).simulate,
      policy,
    ),
  )
    .option("--before <file>", "the policy to compare with (default: the one in force)")
    .option("--since <time>", "calls since then: a span (12h, 30d) or a date (default: 7d)")
    .option("--agent <id>", "only calls in the name of this agent")
    .option("--tool <name>", "only calls of this tool")
    .option("--tenant <id>", "calls of this tenant (default: default)")
    .option("--limit <count>", "maximum number of calls, newest first (default: all)")
    .option("--server <url>", "put the file in place of the policy of the key's tenant on this server, and decide the calls of its log")
    .option("--calls <file>", "read calls or events from this file instead of the log, one JSON object a line")
    .addHelpText("after", simulateHelp);
}

const simulateHelp = `
The calls are those of the log. A line of --calls is an event, as toolwright log export writes it (tool.started, tool.denied or
tool.needs_approval, with the input in data), or {"tool": ..., "input": ...}. With --json each change is a line, and the last one the sum.

Examples:
  toolwright policy simulate --policy changed.yaml --since 30d --agent reviewer
  toolwright policy simulate --policy changed.yaml --calls calls.jsonl`;
