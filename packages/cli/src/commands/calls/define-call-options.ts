import type { Command } from "commander";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { withTenant } from "../define.ts";

/** Options of a command that takes a tool's fields, before or after the tool's name. */
export interface CallOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
  readonly idempotencyKey?: string;
  readonly input?: string;
  readonly help?: boolean;
}

export function withCallOptions(command: Command): Command {
  return withTenant(command)
    .option("--agent <id>", "call as this agent: with its tools, its secrets and its policy")
    .option("--idempotency-key <text>", "run once under this key: a repeated call within 24 h returns the first result");
}

export function withWhyOptions(command: Command): Command {
  return withTenant(command)
    .option("--input <json>", "input of the call, as JSON; fields after it take precedence")
    .option("--agent <id>", "explain a call by this agent");
}
