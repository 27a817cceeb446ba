import type { Io } from "../io.ts";
import { inTenant } from "../output/in-tenant.ts";
import { programPath } from "../output/program-name.ts";
import { shellWord } from "../output/shell-word.ts";
import type { Settings } from "../settings.ts";

/** How a command is typed anywhere on this machine, to meet the store, the workspace, the tools and the policy of this server. */
export function commandLineOf(
  { workspace, tools, toolsNamed, policyFile, policyPlaces }: Settings,
  io: Io,
): (words: string, tenant: string) => string {
  const { TOOLWRIGHT_STATE } = io.env;
  const program = `${TOOLWRIGHT_STATE ? `TOOLWRIGHT_STATE=${shellWord(TOOLWRIGHT_STATE)} ` : ""}${programPath(io)}`;
  const isPolicyNamed = policyPlaces === undefined && policyFile !== undefined;
  const places = [
    ` --workspace ${shellWord(workspace)}`,
    ...(tools !== undefined && toolsNamed ? [` --tools ${shellWord(tools)}`] : []),
    ...(isPolicyNamed ? [` --policy ${shellWord(policyFile)}`] : []),
  ].join("");
  return (words, tenant) => `${program} ${words}${inTenant(tenant)}${places}`;
}
