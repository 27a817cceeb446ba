import type { JsonObject } from "../contract/json.ts";
import type { TenantTool } from "../ports/tenant-tools.ts";
import type { ToolContext } from "../tool/context.ts";
import type { Effects } from "../tool/effects.ts";

/** Runs what tenants wrote. Without one, such tools are listed, and a call of one fails and says so. */
export interface TenantToolExecutor {
  /** Declared like a definition's, and with the same meaning. *Contract:* pure. */
  effects(tool: TenantTool): Effects;
  run(tool: TenantTool, input: JsonObject, ctx: ToolContext): Promise<unknown>;
}
