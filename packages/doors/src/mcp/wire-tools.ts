import type { Tool } from "@modelcontextprotocol/server";
import { notedSchema, type Scope, type ToolView } from "@toolwright/engine";
import { offerTool } from "@toolwright/engine/schema";
import { viewAppUri } from "./view-apps.ts";

/** Lets a client pin what it approved: the hash changes with any part of the definition. */
export const toolMetaKey = "dev.toolwright/tool";

const written = new WeakMap<ToolView["inputSchema"], { readonly view: ToolView; readonly tool: Tool }>();

/**
 * The tools of a scope in MCP's terms, in the engine's fixed order. Hints are always all four: some clients run only what they know to be harmless.
 * `withApps`: those with a view lead to the app that shows it.
 */
export function listWireTools(scope: Scope, { withApps = false } = {}): Tool[] {
  return scope.list().map((view) => {
    const tool = wireTool(view);
    return withApps && view.presentation.view ? { ...tool, _meta: { ...tool._meta, ui: { resourceUri: viewAppUri(view.name) } } } : tool;
  });
}

/** A schema is compiled once per definition, so its identity names what was written for it. */
function wireTool(view: ToolView): Tool {
  const known = written.get(view.inputSchema);
  if (known && isSame(known.view, view)) return known.tool;
  const { title, hints, presentation } = view;
  const { name, description, inputSchema, outputSchema = {} } = offerTool(view, "mcp-2026-07-28");
  const tool = {
    name,
    title,
    description,
    inputSchema,
    outputSchema: notedSchema(outputSchema),
    annotations: { title, ...hints },
    _meta: { [toolMetaKey]: { hash: view.hash, group: view.group, ...(hasMembers(presentation) && { presentation }) } },
  } as unknown as Tool;
  written.set(view.inputSchema, { view, tool });
  return tool;
}

/** Specs of forms and views are registered beside a definition, and change no hash. */
function isSame(known: ToolView, view: ToolView): boolean {
  const isDefinition = known.hash === view.hash && known.name === view.name && known.description === view.description;
  return isDefinition && known.presentation.form === view.presentation.form && known.presentation.view === view.presentation.view;
}

const hasMembers = (value: object) => Object.keys(value).length > 0;
