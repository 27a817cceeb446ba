import { digest } from "../contract/digest.ts";
import { agentToolOf } from "../ports/agent-tool-name.ts";
import type { Logger } from "../ports/logger.ts";
import type { TenantToolRows, TenantTools } from "../ports/tenant-tools.ts";
import { makeSnapshot, type Snapshot } from "./catalogue.ts";
import { compileTenantTool } from "./compile-tenant-tool.ts";
import type { CompiledTool } from "./compile-tool.ts";
import { overrideTool } from "./override-tool.ts";
import type { TenantToolExecutor } from "./tenant-tool-executor.ts";

interface TenantSnapshotOptions {
  /** Tools of code, now. */
  readonly code: () => Snapshot;
  readonly rows: TenantTools;
  readonly executor: TenantToolExecutor | undefined;
  /** The tool with which agents call the agent of this name. */
  readonly agentTool: ((agent: string) => CompiledTool) | undefined;
  readonly logger: Logger;
}

interface Resolved {
  readonly code: Snapshot;
  readonly rows: TenantToolRows;
  readonly snapshot: Snapshot;
  /** By digest of the row, or by name where it stands for an agent, so that a change of one tool compiles one tool. */
  readonly compiled: ReadonlyMap<string, CompiledTool>;
}

/** Code tools, overrides and a tenant's own tools as one list, made again only when the code's or the tenant's changed. */
export function createTenantSnapshots(options: TenantSnapshotOptions): (tenant: string) => Snapshot {
  const resolved = new Map<string, Resolved>();
  return (tenant) => {
    const code = options.code();
    const rows = options.rows.of(tenant);
    const last = resolved.get(tenant);
    if (!rows) {
      if (last) resolved.delete(tenant);
      return code;
    }
    if (last?.code === code && last.rows === rows) return last.snapshot;
    const { executor, agentTool, logger } = options;
    const next = resolve(tenant, { code, rows, last, executor, agentTool, logger });
    resolved.set(tenant, next);
    return next.snapshot;
  };
}

interface Resolving extends Omit<TenantSnapshotOptions, "code" | "rows"> {
  readonly code: Snapshot;
  readonly rows: TenantToolRows;
  readonly last: Resolved | undefined;
}

/** What cannot be had as its row says is left out and told: without its override, a tool would be more than the tenant wants. */
function resolve(tenant: string, { code, rows, last, executor, agentTool, logger }: Resolving): Resolved {
  const tools = new Map(code.tools.map((tool) => [tool.name, tool]));
  const attempt = (name: string, make: () => CompiledTool) => {
    try {
      tools.set(name, make());
    } catch (error) {
      tools.delete(name);
      logger.log("warn", `Tool "${name}" of tenant "${tenant}" is left out.`, { error: String(error) });
    }
  };
  for (const override of rows.overrides) {
    const base = tools.get(override.tool);
    if (base) attempt(override.tool, () => overrideTool(base, override));
  }
  const compiled = new Map<string, CompiledTool>();
  const add = (name: string, key: string, make: () => CompiledTool) => {
    if (code.find(name)) {
      logger.log("warn", `Tool "${name}" of tenant "${tenant}" is left out: a tool of that name came with the code.`);
      return;
    }
    attempt(name, () => {
      const tool = last?.compiled.get(key) ?? make();
      compiled.set(key, tool);
      return tool;
    });
  };
  if (agentTool) for (const agent of rows.agents ?? []) add(agentToolOf(agent), agentToolOf(agent), () => agentTool(agent));
  for (const row of rows.custom) add(row.tool, digest(row), () => compileTenantTool(tenant, row, executor));
  return { code, rows, compiled, snapshot: makeSnapshot([...tools.values()], code.leftOut) };
}
