import { CliError } from "../../cli-error.ts";
import { exitCodeOf } from "../../exit-code.ts";
import { hasField } from "../../input/read-fields.ts";
import { printHelp, readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { openServer, type RemoteOptions } from "../context/operate-remotely.ts";
import type { CallOptions } from "./define-call-options.ts";
import { readLine, type ToolLine } from "./with-tool.ts";

/** Calls a tool of the server that --server names. Its person answers there, or with `approvals`: nobody is asked here. */
export async function callRemotely(io: Io, line: ToolLine<CallOptions & RemoteOptions>): Promise<number> {
  const { name } = line;
  const first = readLine(line, []);
  if (first.options.agent !== undefined) throw new CliError("With --server, the key says which agent it is. Leave --agent out.");
  const { operate, call } = openServer(io, first.options);
  const tool = await operate("tools.get", { name }).catch(() => undefined);
  const fields = tool ? first.taken.filter((option) => hasField(option, tool.inputSchema)) : [];
  const { options, words } = readLine(line, fields);
  if (options.help && tool) return printHelp(io, tool);
  const input = tool ? await readInput(io, tool, words) : await readLoosely(io, { name, inputSchema: {} }, words);
  const { idempotencyKey } = options;
  const result = await call(name, input, { ...followCall(io, options), ...(idempotencyKey !== undefined && { idempotencyKey }) });
  printResult(io, result, options);
  return exitCodeOf(result);
}
