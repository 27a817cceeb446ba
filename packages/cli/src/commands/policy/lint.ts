import { formatPath, type LintFinding, lintPolicy, sectionsOf } from "@toolwright/engine/policy";
import type { PolicyPlace } from "@toolwright/server/policy-file";
import { describePlace, factsOf, loadDefinitions } from "@toolwright/server/policy-file";
import { count } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";
import { checkingPolicy, readNamedPolicy } from "./read-named-policy.ts";

interface PlacedFinding extends Partial<PolicyPlace> {
  readonly level: LintFinding["level"];
  readonly rule: string;
  readonly message: string;
}

/** Names what a valid policy says in vain. Warnings fail, hints do not. */
export function lint(io: Io, options: CommonOptions, [file]: readonly string[]): Promise<number> {
  return checkingPolicy(io, options, async () => {
    const { policy, settings } = await readNamedPolicy(io, options, file);
    const tools = [...(await loadDefinitions(settings, io)).values()].map(factsOf);
    const sections = sectionsOf(policy.file);
    const findings = lintPolicy(policy.tiers, tools).map(({ level, document, path, message }): PlacedFinding => {
      const whole = [...(sections[document]?.path ?? []), ...path];
      return { level, ...policy.placeOf(whole), rule: formatPath(whole), message };
    });
    const warnings = findings.filter(({ level }) => level === "warning").length;
    const sum = `${count(warnings, "warning")}, ${count(findings.length - warnings, "hint")}.`;
    io.out(options.json ? `${JSON.stringify({ warnings, findings }, null, 2)}\n` : `${[...findings.map(describe), sum].join("\n")}\n`);
    return warnings === 0 ? exitCodes.done : exitCodes.failed;
  });
}

function describe({ level, file, line, column, rule, message }: PlacedFinding): string {
  const place = file !== undefined && line !== undefined && column !== undefined ? describePlace({ file, line, column }) : "built in";
  return `${place}: ${level}: ${rule}: ${message}`;
}
