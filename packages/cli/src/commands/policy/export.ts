import { exportPolicy, exportTargets, type PolicyExport } from "@toolwright/engine/policy";
import { nearestName } from "@toolwright/engine/ports";
import { factsOf, loadDefinitions } from "@toolwright/server/policy-file";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readNamedPolicy } from "../../input/read-policy-file.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";

/** Writes a policy in another agent's format: the files to stdout, what is lost to stderr. */
export async function exportTo(io: Io, options: CommonOptions & { readonly target: string }, [file]: readonly string[]): Promise<number> {
  const { policy, settings } = await readNamedPolicy(io, options, file);
  const tools = [...(await loadDefinitions(settings, io)).values()].map(factsOf);
  const exported = exportPolicy(policy.tiers, options.target, tools);
  if (!exported) {
    const nearest = nearestName(options.target, exportTargets);
    throw new CliError(
      `There is no target "${options.target}".${nearest ? ` Did you mean "${nearest}"?` : ""} Targets: ${exportTargets.join(", ")}.`,
    );
  }
  if (options.json) io.out(`${JSON.stringify(exported, null, 2)}\n`);
  else print(io, exported);
  return exitCodes.done;
}

function print(io: Io, { files, rules }: PolicyExport): void {
  const only = files.length === 1;
  io.out(files.map(({ path, text }) => (only ? text : `# ${path}\n${text}`)).join("\n"));
  if (only) io.err(`This is ${files[0]?.path}.\n`);
  for (const { rule, grade, reason } of rules) io.err(`${grade.padEnd(11)}  ${rule}${reason === undefined ? "" : `: ${reason}`}\n`);
}
