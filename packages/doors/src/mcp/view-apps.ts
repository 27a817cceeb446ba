import type { ClientCapabilities, ReadResourceResult, Resource, Server, ServerContext } from "@modelcontextprotocol/server";
import { type JsonObject, notedSchema, type Scope, type ToolView } from "@toolwright/engine";
import { resourceNotFound } from "./artifact-resources.ts";
import { declaredCapabilities } from "./call/call-conversation.ts";
import type { DoorParts } from "./door-parts.ts";

/** The extension MCP Apps, of its revision 2026-01-26 (SEP-1865). */
const appsExtension = "io.modelcontextprotocol/ui";
/** "UI Resource Format": the one media type of that revision. */
const appType = "text/html;profile=mcp-app";
const scheme = "ui://toolwright/";
const emptyView = '<script type="application/json" id="view">null</script>';

/** The app that shows the results of a tool. */
export function viewAppUri(tool: string): string {
  return `${scheme}${tool}`;
}

export function isViewAppUri(uri: string): boolean {
  return uri.startsWith(scheme);
}

/** Whether there are apps for who asks: to others a tool says nothing of one ("Client<>Server Capability Negotiation"). */
export function hasViewApps(
  { serving: { viewApp } }: DoorParts,
  ctx: ServerContext,
  server?: Pick<Server, "getClientCapabilities">,
): boolean {
  return showsApps(declaredCapabilities(ctx) ?? server?.getClientCapabilities()) && viewApp?.() !== undefined;
}

function showsApps({ extensions = {} }: ClientCapabilities = {}): boolean {
  const declared = Object.hasOwn(extensions, appsExtension) ? extensions[appsExtension] : undefined;
  const types = (declared as { readonly mimeTypes?: unknown } | undefined)?.mimeTypes;
  return Array.isArray(types) && types.includes(appType);
}

export function listViewApps(scope: Scope): Resource[] {
  return scope.list().flatMap((tool) => (tool.presentation.view ? [describeApp(tool)] : []));
}

function describeApp({ name, title }: ToolView): Resource {
  return {
    uri: viewAppUri(name),
    name: `${name}_view`,
    title: `Result of ${title}`,
    description: `Shows what ${name} answers. It loads nothing and asks nobody.`,
    mimeType: appType,
  };
}

/** The app with the view of one tool in it. Who does not see the tool finds no app. */
export function readViewApp(uri: string, scope: Scope, html: string | undefined): ReadResourceResult {
  const tool = scope.find(uri.slice(scheme.length));
  if (!tool?.presentation.view || html === undefined) throw resourceNotFound(uri);
  const text = html.replace(emptyView, () => emptyView.replace("null", () => writeView(tool)));
  // No `csp`: without it a host lets an app ask for nothing ("Host Behavior: Restrictive Default").
  return { contents: [{ uri, mimeType: appType, text, _meta: { ui: { prefersBorder: true } } }] };
}

/** JSON that no reader of HTML takes for the end of its element, or for a comment. */
function writeView({ title, presentation: { view }, outputSchema = {} }: ToolView): string {
  return JSON.stringify({ title, view, notes: notesMember(outputSchema) }).replaceAll("<", "\\u003c");
}

/** Where the answer has the notes of a call. */
function notesMember(outputSchema: JsonObject): string | null {
  const membersOf = ({ properties = {} }: JsonObject) => Object.keys(properties as JsonObject);
  const own = new Set(membersOf(outputSchema));
  return membersOf(notedSchema(outputSchema)).find((name) => !own.has(name)) ?? null;
}
