import type { Server } from "@modelcontextprotocol/server";
import { artifactResource, artifactTemplate, isArtifactUri, readArtifact, resourceNotFound } from "./artifact-resources.ts";
import type { DoorParts } from "./door-parts.ts";
import { refuseCursor } from "./refuse-cursor.ts";
import { hasViewApps, isViewAppUri, listViewApps, readViewApp } from "./view-apps.ts";

/** Most artifacts that one list names; each result names its own. */
const maxListed = 200;

/** Artifacts of calls, apps that show results, and whatever resources were given to the door. */
export function serveResources(server: Server, parts: DoorParts): void {
  const { resources } = parts.serving;
  server.setRequestHandler("resources/list", async ({ params }, ctx) => {
    refuseCursor(params?.cursor);
    const given = (await resources?.list(parts.callerOf(ctx).principal)) ?? [];
    const scope = parts.scopeOf(ctx);
    const apps = hasViewApps(parts, ctx, server) ? listViewApps(scope) : [];
    const artifacts = await scope.artifacts();
    return { resources: [...given, ...apps, ...artifacts.slice(0, maxListed).map(artifactResource)] };
  });
  server.setRequestHandler("resources/templates/list", async ({ params }, ctx) => {
    refuseCursor(params?.cursor);
    const given = (await resources?.templates?.(parts.callerOf(ctx).principal)) ?? [];
    return { resourceTemplates: [...given, artifactTemplate] };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, ctx) => {
    if (isArtifactUri(uri)) return readArtifact(uri, parts.scopeOf(ctx));
    if (isViewAppUri(uri)) return readViewApp(uri, parts.scopeOf(ctx), parts.serving.viewApp?.());
    const read = await resources?.read(uri, parts.callerOf(ctx).principal);
    if (!read) throw resourceNotFound(uri);
    return read;
  });
  if (resources?.onUpdated) serveSubscriptions(server, resources.onUpdated);
}

/** Subscriptions of a 2025-era session; those of 2026-07-28 are streams of the HTTP handler. */
function serveSubscriptions(server: Server, onUpdated: (listener: (uri: string) => void) => () => void): void {
  const subscribed = new Set<string>();
  let stop: (() => void) | undefined;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    subscribed.add(uri);
    stop ??= onUpdated((changed) => {
      if (!subscribed.has(changed)) return;
      server.notification({ method: "notifications/resources/updated", params: { uri: changed } }).catch(ignoreLostClient);
    });
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
  const before = server.onclose;
  server.onclose = () => {
    stop?.();
    before?.();
  };
}

function ignoreLostClient(): void {}
