import type { Scope, ToolView } from "@toolwright/engine";
import { nearestName, visibleText } from "@toolwright/engine/ports";
import type { LoadedPolicy } from "@toolwright/server/policy-file";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";

/** The tool of that name, or an error: which rule hides it, or which name is near to it. */
export function findTool(scope: Scope, name: string, policy: LoadedPolicy): ToolView {
  return scope.find(name) ?? refuseTool(scope, name, policy);
}

/** Whoever types commands may know of every tool, so one that is hidden is told from one that is not there. */
function refuseTool(scope: Scope, name: string, policy: LoadedPolicy): never {
  const { admission, decision } = scope.why(name);
  const where = whereAbout(scope);
  if (decision)
    throw new CliError(
      `Denied: ${visibleText(decision.reason)} (${decision.rule}) ${describePolicyInForce(policy)}${decision.remedy === undefined ? "" : ` ${visibleText(decision.remedy)}`}`,
      { exitCode: exitCodes.denied },
    );
  const failed = admission?.checks.find(({ passed }) => !passed);
  if (failed)
    throw new CliError(
      `Denied: the tool "${name}" is hidden by the check ${failed.check}. ${visibleText(failed.reason)} More: toolwright why ${name}${where}`,
      { exitCode: exitCodes.denied },
    );
  throw unknownTool(scope, name);
}

export function unknownTool(scope: Scope, name: string): CliError {
  const nearest = nearestName(
    name,
    scope.list().map((each) => each.name),
  );
  return new CliError(
    `There is no tool "${visibleText(name)}".${nearest ? ` Did you mean "${nearest}"?` : ""} See them with: toolwright list${whereAbout(scope)}`,
  );
}

/** Options that a suggested command needs to speak of the same tools. */
function whereAbout({ principal: { tenant, agent } }: Scope): string {
  return `${inTenant(tenant)}${agent === undefined ? "" : ` --agent ${agent}`}`;
}
