import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { compilePolicy, type Decision, type PolicyFlip, simulatePolicy, visibleText } from "@toolwright/engine";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { loadDefinitions } from "../../policy-file/load-definitions.ts";
import { type RecordedCalls, type ReplayedCall, readCalls } from "../../policy-file/read-calls.ts";
import { readPolicy } from "../../policy-file/read-policy.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";

export interface SimulateOptions extends CommonOptions {
  readonly calls: string;
  readonly before?: string;
}

/** A simulation asks about the policy, not about this machine. */
const machine = { sandbox: { available: true, detail: "assumed" } };

/** Decides recorded calls under another policy, and lists which would go differently. */
export async function simulate(io: Io, { before, policy, ...options }: SimulateOptions): Promise<number> {
  if (policy === undefined) throw new CliError("Name the changed policy with --policy <file>.");
  const settings = readSettings({ ...options, policy }, io);
  const changed = await readPolicy(settings, io);
  const current = await readPolicy(readSettings(before === undefined ? options : { ...options, policy: before }, io), io);
  const recorded = readCalls(await readLog(resolve(io.cwd, options.calls)), await loadDefinitions(settings, io));
  const result = simulatePolicy(recorded.calls, { before: compilePolicy(current.tiers), after: compilePolicy(changed.tiers), machine });
  const flips = result.flips.map((flip) => ({ ...flip, before: brief(flip.before), after: brief(flip.after) }));
  if (options.json) io.out(`${JSON.stringify({ ...result, flips, skipped: recorded.skipped }, null, 2)}\n`);
  else io.out(describe(result.flips, recorded));
  return exitCodes.done;
}

async function readLog(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new CliError(`The calls ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

const brief = ({ effect, rule, reason, subject, revision }: Decision) => ({ effect, rule, reason, subject, revision });

function describe(flips: readonly PolicyFlip<ReplayedCall>[], { calls, skipped }: RecordedCalls): string {
  const lines = flips.flatMap(({ call, before, after }) => [
    `line ${call.line}: ${call.tool.name} ${visibleText(JSON.stringify(call.input))}`,
    `  before  ${describeDecision(before)}`,
    `  after   ${describeDecision(after)}`,
  ]);
  const left = skipped.map(({ line, reason }) => `line ${line} is left out: ${visibleText(reason)}`);
  return `${[...lines, ...left, `${calls.length} calls: ${flips.length} would go differently; ${skipped.length} lines left out.`].join("\n")}\n`;
}

const describeDecision = ({ effect, rule, reason }: Decision) => `${effect}: ${visibleText(reason)} (${rule})`;
