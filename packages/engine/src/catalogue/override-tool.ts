import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { ToolLimits } from "../contract/tool-limits.ts";
import type { ToolOverride } from "../ports/tenant-tools.ts";
import { type CompiledTool, hasHiddenCharacters } from "./compile-tool.ts";

/** The tool as a tenant has it. Throws `definition_invalid` for an override that would widen what the definition says. */
export function overrideTool(base: CompiledTool, override: ToolOverride): CompiledTool {
  const { definition } = base;
  const { title = base.title, description = definition.description } = override;
  if (description.trim() === "") refuse(override.tool, "its description is empty");
  if (hasHiddenCharacters(title) || hasHiddenCharacters(description))
    refuse(override.tool, "its texts have invisible or direction-changing characters");
  const feature = override.visibility?.feature;
  const ofDefinition = definition.visibility?.feature;
  if (feature !== undefined && ofDefinition !== undefined && feature !== ofDefinition)
    refuse(override.tool, `it belongs to the feature "${ofDefinition}", which cannot be changed`);
  const approval = override.approval ?? base.facts.approval;
  return {
    ...base,
    title,
    definition: {
      ...definition,
      title,
      description,
      approval,
      visibility: {
        ...definition.visibility,
        ...(feature !== undefined && { feature }),
        ...(override.visibility?.optIn && { optIn: true }),
      },
      limits: narrowLimits(override.tool, definition.limits, override.limits),
    },
    facts: { ...base.facts, approval },
    hash: digest([base.hash, title, description, approval, ...(override.limits ? [override.limits] : [])]),
  };
}

/** Those of the definition are the largest; what it leaves to the engine's defaults may be named. */
function narrowLimits(tool: string, most: ToolLimits = {}, wanted: ToolLimits = {}): ToolLimits {
  for (const name of ["timeoutMs", "idleMs", "maxOutputBytes"] as const) {
    const [limit, value] = [most[name] ?? defaults[name], wanted[name]];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) refuse(tool, `${name} is not a positive whole number`);
    if (value !== undefined && value > limit) refuse(tool, `${name} is ${value}, more than the ${limit} that the tool has`);
  }
  return { ...most, ...wanted };
}

/** Defaults of `ToolLimits`, where a definition leaves them out. */
const defaults = { timeoutMs: 300_000, idleMs: Number.POSITIVE_INFINITY, maxOutputBytes: 100_000 };

function refuse(tool: string, problem: string): never {
  throw new ToolwrightError("definition_invalid", `The override of tool "${tool}" is refused: ${problem}. An override only narrows.`);
}
