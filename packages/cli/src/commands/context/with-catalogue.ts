import type { Scope, SurveyedTool } from "@toolwright/engine";
import { nearestName, visibleText } from "@toolwright/engine/ports";
import type { PostgresCatalogueStore } from "@toolwright/postgres";
import type { Toolwright } from "@toolwright/server";
import { localTenant } from "@toolwright/server/local";
import { cliScope } from "../../caller.ts";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import type { CommonOptions } from "../../settings.ts";
import { withToolwright } from "./with-toolwright.ts";

export interface CatalogueOptions extends CommonOptions {
  readonly tenant?: string;
  readonly agent?: string;
}

export interface OpenCatalogue {
  readonly tenant: string;
  readonly catalogue: PostgresCatalogueStore;
  /** In the name of the agent, when one was named. */
  readonly scope: Scope;
  readonly toolwright: Toolwright;
}

export function withCatalogue(io: Io, options: CatalogueOptions, use: (open: OpenCatalogue) => Promise<number>): Promise<number> {
  const { tenant = localTenant, agent } = options;
  return withToolwright(io, { ...options, callsNothing: true }, (toolwright) => {
    const scope = cliScope(toolwright, io, { tenant, agent });
    return use({ tenant, scope, toolwright, catalogue: toolwright.store.catalogue });
  });
}

/** Throws for a name that no tool of the tenant has, hidden ones included. */
export function requireTools(scope: Scope, names: readonly string[]): void {
  const known = scope.survey().map(({ tool }) => tool.name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    throw new CliError(
      `There is no tool "${visibleText(name)}".${nearest ? ` Did you mean "${nearest}"?` : ""} See them with: toolwright tools list`,
    );
  }
}

/** What an operator reads beside a tool: whether it is there, and if not, which check hides it. */
export function stateOf({ tool, admission }: SurveyedTool, scope: Scope): string {
  if (admission.admitted) return scope.find(tool.name) ? "visible" : "denied by the policy";
  const failed = admission.checks.at(-1)?.check ?? "unknown";
  return failed === "secrets" ? "misconfigured" : `hidden (${failed.replaceAll("_", " ")})`;
}
