import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Principal, ToolwrightError, visibleText } from "@toolwright/engine";
import { localTenant } from "./caller.ts";
import type { Workspaces } from "./settings.ts";

const folderName = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** The folder that tools of a call reach: one for each tenant. That of another tenant than this machine's own is made when it is first needed. */
export function workspacesOf({ workspace, tenantWorkspaces }: Workspaces): (site: { readonly principal: Principal }) => string {
  return ({ principal: { tenant } }) => {
    if (tenant === localTenant) return workspace;
    if (!folderName.test(tenant))
      throw new ToolwrightError(
        "workspace_missing",
        `The tenant "${visibleText(tenant)}" has no workspace: its name is none for a folder.`,
      );
    const folder = join(tenantWorkspaces, tenant);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (cause) {
      // Without the path: a model reads this.
      throw new ToolwrightError(
        "workspace_missing",
        `The workspace of the tenant cannot be made (${(cause as NodeJS.ErrnoException).code}). An operator names another place in TOOLWRIGHT_TENANT_WORKSPACES.`,
        { cause },
      );
    }
    return folder;
  };
}
