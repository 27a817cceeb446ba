import type { Json, JsonObject } from "../contract/json.ts";
import type { ToolLimits } from "../contract/tool-limits.ts";
import type { ToolVisibility } from "../contract/tool-visibility.ts";

/** What a tenant changes of a tool that is defined in code. It narrows: what would widen is refused. */
export interface ToolOverride {
  readonly tool: string;
  readonly title?: string;
  readonly description?: string;
  readonly approval?: "always_ask";
  readonly visibility?: Pick<ToolVisibility, "optIn" | "feature">;
  /** Each no larger than the definition's. */
  readonly limits?: ToolLimits;
}

/** A tool that a tenant wrote itself. */
export interface TenantTool {
  readonly tool: string;
  readonly title: string;
  readonly group: string;
  readonly description: string;
  /** JSON Schema 2020-12 with an object at the top. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly approval: "auto" | "always_ask";
  readonly permission?: string;
  readonly visibility?: Pick<ToolVisibility, "optIn" | "feature">;
  readonly limits?: ToolLimits;
  /** How it runs, in the words of the executor. */
  readonly execution: Json;
}

export interface TenantToolRows {
  /** Those of all tenants before the tenant's own: the later one has the last word on texts, and both narrow. */
  readonly overrides: readonly ToolOverride[];
  readonly custom: readonly TenantTool[];
  /** Agents that accept others, in order: each is a tool of those whose rows enable it. */
  readonly agents?: readonly string[];
}

/** Tools and changes of tools that tenants keep. *Contract:* synchronous, from a cache; the same object until something changed. */
export interface TenantTools {
  of(tenant: string): TenantToolRows | undefined;
  /** Calls back when some tenant's rows changed; returns how to stop. */
  onChange(listener: () => void): () => void;
}

/** The tools of code, which say what may be put over and beside them. *Contract:* both are pure, and throw for what may not. */
export interface CodeTools {
  /** `definition_invalid` when it would widen the tool, `catalogue_not_found` without such a tool. */
  checkOverride(override: ToolOverride): void;
  /** `definition_invalid`, `schema_refused`, or `duplicate_tool` for a name of theirs. */
  checkOwn(tenant: string, tool: TenantTool): void;
}
