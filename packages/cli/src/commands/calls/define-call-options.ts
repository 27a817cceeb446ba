import type { Command } from "commander";
import type { TenantOptions } from "../context/with-store.ts";
import { withTenant } from "../define.ts";

/** Options of a command that takes a tool's fields, before or after the tool's name. */
export interface CallOptions extends TenantOptions {
  readonly agent?: string;
  readonly idempotencyKey?: string;
  readonly input?: string;
  readonly help?: boolean;
}

export function withCallOptions(command: Command): Command {
  return withTenant(command)
    .option("--agent <id>", "call in the name of an agent: with its tools, its secrets, and as the policy narrows it")
    .option("--idempotency-key <text>", "run once under this key: the same call again within 24 h is answered as the first one was");
}

export function withWhyOptions(command: Command): Command {
  return withTenant(command)
    .option("--input <json>", "judge a call with this input; fields after it win")
    .option("--agent <id>", "ask in the name of an agent, as the policy narrows it");
}
