import { browserTools } from "@toolwright/browser/tools";
import { clientCapability } from "@toolwright/doors/mcp/client";
import { type AnyTool, type CapabilityProvider, isToolDefinition, ToolwrightError } from "@toolwright/engine";
import { capabilitiesOf, weighEffects, weightsOf } from "@toolwright/engine/catalogue";
import type { ToolFacts } from "@toolwright/engine/policy";
import { productTools } from "@toolwright/tools";
import type { ServerIo } from "../io.ts";
import type { Settings } from "../settings.ts";
import { openToolFolder } from "../tool-folder/open-tool-folder.ts";

/** Every tool that there is, hidden ones too: a policy speaks of all of them. What cannot be loaded is said on stderr. */
export async function loadDefinitions(settings: Settings, io: ServerIo): Promise<ReadonlyMap<string, AnyTool>> {
  const found = new Map([...productTools, ...browserTools].map((tool) => [tool.name, tool]));
  const source = await openToolFolder(settings, io);
  for (const file of (await source?.list()) ?? []) {
    try {
      const definition = (await source?.load(file))?.default;
      if (isToolDefinition(definition)) found.set(definition.name, definition);
    } catch (error) {
      io.err(`Left out: ${file} cannot be loaded: ${error instanceof Error ? error.message : error}\n`);
    }
  }
  for (const { message } of source?.leftOut?.() ?? []) io.err(`Left out: ${message}\n`);
  return found;
}

/** What an engine needs to have these tools that only looks at them: what they may reach is named, and nobody gives it. */
export function capabilitiesToLook(tools: Iterable<AnyTool>): readonly CapabilityProvider[] {
  const names = new Set([...tools].flatMap(({ effects = {} }) => capabilitiesOf(effects)));
  names.delete(clientCapability.name);
  const open = () => {
    throw new ToolwrightError("operation_unavailable", "Tools are only looked at here. Call them where they are served.");
  };
  return [clientCapability, ...[...names].map((name): CapabilityProvider => ({ name, open }))];
}

const weights = weightsOf([clientCapability]);

/** What a policy knows of a tool. */
export function factsOf({ name, group = "custom", effects = {}, approval = "auto" }: AnyTool): ToolFacts {
  return { name, group, effects, approval, weight: weighEffects(effects, weights) };
}
