import { policyFileSchema, sectionsOf } from "@toolwright/engine";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeProblems, PolicyFileError } from "../../policy-file/load-policy-file.ts";
import type { CommonOptions } from "../../settings.ts";
import { readNamedPolicy } from "./read-named-policy.ts";

/** Loads a policy as a server would, tests of its rules included. */
export async function check(io: Io, options: CommonOptions, [file]: readonly string[]): Promise<number> {
  try {
    const { policy } = await readNamedPolicy(io, options, file);
    const sections = sectionsOf(policy.file);
    const rules = sections.flatMap(({ members }) => members.commands?.rules ?? []);
    const tests = rules.reduce((sum, { match = [], not_match = [] }) => sum + match.length + not_match.length, 0);
    const agents = sections.flatMap(({ agent }) => agent ?? []);
    const { files, revision } = policy;
    if (options.json) io.out(`${JSON.stringify({ valid: true, files, rules: rules.length, tests, agents, revision }, null, 2)}\n`);
    else
      io.out(
        `${[`Valid: ${files.join(", ")}.`, `${rules.length} rules, ${tests} tests passed.`, ...(agents.length > 0 ? [`Agents: ${agents.join(", ")}.`] : []), `Revision ${revision.slice(0, 12)}.`].join(" ")}\n`,
      );
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    const { problems } = error;
    if (options.json) io.out(`${JSON.stringify({ valid: false, problems }, null, 2)}\n`);
    else io.out(`${describeProblems(problems).join("\n")}\n`);
    return exitCodes.failed;
  }
}

/** Prints the JSON Schema of policy files. */
export async function schema(io: Io): Promise<number> {
  io.out(`${JSON.stringify(policyFileSchema(), null, 2)}\n`);
  return exitCodes.done;
}
