import { type EffectHints, hintsOf } from "../tool/effects.ts";
import type { CompiledTool } from "./compile-tool.ts";

/** True when a handle names the tool, its group, or every tool. */
export function namesTool(handles: readonly string[], { name, group }: Pick<CompiledTool, "name" | "group">): boolean {
  return handles.includes(name) || handles.includes(`group:${group}`) || handles.includes("*");
}

/** Joins the hints of a tool that calls others with the hints of all tools that it may call, so that clients see everything that a call can do. */
export function joinParts(tools: readonly CompiledTool[]): readonly CompiledTool[] {
  if (!tools.some(({ effects }) => effects.tools)) return tools;
  return tools.map((tool) => {
    const reached = new Set<CompiledTool>();
    const isWhole = collect(tool, tools, reached);
    return tool.effects.tools ? joinHints(tool, [...reached], isWhole) : tool;
  });
}

/** False where a tool is named that is not there: it may be anything once it is. */
function collect(tool: CompiledTool, tools: readonly CompiledTool[], reached: Set<CompiledTool>): boolean {
  const handles = tool.effects.tools ?? [];
  let isWhole = handles.every((handle) => handle === "*" || handle.startsWith("group:") || tools.some(({ name }) => name === handle));
  for (const part of tools) {
    if (!namesTool(handles, part) || reached.has(part)) continue;
    reached.add(part);
    isWhole = collect(part, tools, reached) && isWhole;
  }
  return isWhole;
}

function joinHints(tool: CompiledTool, parts: readonly CompiledTool[], isWhole: boolean): CompiledTool {
  const own = [tool, ...parts].map(({ effects, facts }) => hintsOf(effects, facts.weight));
  const changes = !isWhole || own.some(({ readOnlyHint }) => !readOnlyHint);
  const hints: EffectHints = {
    readOnlyHint: !changes,
    destructiveHint: !isWhole || own.some(({ destructiveHint }) => destructiveHint),
    idempotentHint: isWhole && own.every(({ idempotentHint }) => idempotentHint),
    openWorldHint: !isWhole || own.some(({ openWorldHint }) => openWorldHint),
  };
  // To copy the values would be to ask for the schemas.
  const members = Object.getOwnPropertyDescriptors(tool);
  return Object.create(Object.prototype, {
    ...members,
    hints: { ...members.hints, value: hints },
    changes: { ...members.changes, value: changes },
  });
}
