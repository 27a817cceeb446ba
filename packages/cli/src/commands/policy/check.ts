import { sectionsOf } from "@toolwright/engine/policy";
import { count } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";
import { checkingPolicy, readNamedPolicy } from "./read-named-policy.ts";

/** Loads a policy as a server would, tests of its rules included. */
export function check(io: Io, options: CommonOptions, [file]: readonly string[]): Promise<number> {
  return checkingPolicy(io, options, async () => {
    const { policy } = await readNamedPolicy(io, options, file);
    const sections = sectionsOf(policy.file);
    const rules = sections.flatMap(({ members }) => members.commands?.rules ?? []);
    const tests = rules.reduce((sum, { match = [], not_match = [] }) => sum + match.length + not_match.length, 0);
    const agents = sections.flatMap(({ agent }) => agent ?? []);
    const { files, revision } = policy;
    if (options.json) io.out(`${JSON.stringify({ valid: true, files, rules: rules.length, tests, agents, revision }, null, 2)}\n`);
    else {
      const named = agents.length > 0 ? [`Agents: ${agents.join(", ")}.`] : [];
      const counts = `${count(rules.length, "rule")}, ${count(tests, "test")} passed.`;
      io.out(`${[`Valid: ${files.join(", ")}.`, counts, ...named, `Revision ${revision.slice(0, 12)}.`].join(" ")}\n`);
    }
    return exitCodes.done;
  });
}
