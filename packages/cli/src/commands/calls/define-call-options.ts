import type { Command } from "commander";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { withTenant } from "../define.ts";

/** Options of a command that takes a tool's fields, before or after the tool's name. */
export interface CallOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
  readonly idempotencyKey?: string;
  readonly help?: boolean;
}

export function withCallOptions(command: Command): Command {
  return withTenant(command)
    .option("--agent <id>", "call as this agent: with its tools, its secrets and its policy")
    .option("--idempotency-key <text>", "run once under this key: a repeated call within 24 h returns the first result");
}

/** What follows the tool's name is read when its fields are known, as `withTool` does it. */
export const withFields = (command: Command): Command => command.passThroughOptions();

export const fieldsHelp = `
The input is one JSON object, "-" for JSON on stdin, or fields, which the tool's schema converts. After the tool's name, a field of the
tool wins over an option of the same name: put the option before the name, or fields after "--". Print the fields of a tool with
toolwright call <tool> --help. --server always stands before the tool's name.`;
