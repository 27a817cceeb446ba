import type { Settings } from "@toolwright/server/settings";
import type { Io } from "../io.ts";
import { inTenant } from "./in-tenant.ts";
import { programPath } from "./program-name.ts";
import { shellWord } from "./shell-word.ts";

/** How a command is typed anywhere on this machine, to meet the store, the workspace, the tools and the policy of this server. */
export function commandLineOf(
  { workspace, state, tools, toolsNamed, policyFile, policyPlaces }: Settings,
  io: Io,
): (words: string, tenant: string) => string {
  const { TOOLWRIGHT_STATE, DATABASE_URL } = io.env;
  const store = [
    // Its password is nobody's to read here: a shell that does not have it says that it needs it.
    ...(DATABASE_URL ? [`DATABASE_URL="\${DATABASE_URL:?the one of the server}"`] : []),
    ...(TOOLWRIGHT_STATE ? [`TOOLWRIGHT_STATE=${shellWord(state)}`] : []),
  ];
  const program = [...store, programPath(io)].join(" ");
  const isPolicyNamed = policyPlaces === undefined && policyFile !== undefined;
  const places = [
    ` --workspace ${shellWord(workspace)}`,
    ...(tools !== undefined && toolsNamed ? [` --tools ${shellWord(tools)}`] : []),
    ...(isPolicyNamed ? [` --policy ${shellWord(policyFile)}`] : []),
  ].join("");
  return (words, tenant) => `${program} ${words}${inTenant(tenant)}${places}`;
}
