import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { PageFailure } from "./page-failure.tsx";
import { Shell } from "./shell.tsx";
import { Unknown } from "./unknown.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: Unknown, errorComponent: PageFailure });

/** Everything after `?` is text: a page reads what it knows, and leaves the rest. */
const validateSearch = (search: Record<string, unknown>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));

// Paths are also in web/routes.json, by which the server knows its pages and what each loads first.
const page = <const Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch,
    component: lazyRouteComponent(load as () => Promise<Record<string, () => React.ReactNode>>, name),
  });

const tree = root.addChildren([
  page("/", () => import("../pages/start/start-page.tsx"), "StartPage"),
  page("/tools", () => import("../pages/tools/tools-page.tsx"), "ToolsPage"),
  page("/tools/$name", () => import("../pages/tool/tool-page.tsx"), "ToolPage"),
  page("/approvals", () => import("../pages/approvals/approvals-page.tsx"), "ApprovalsPage"),
  page("/chat", () => import("../pages/chat/chat-page.tsx"), "ChatPage"),
  page("/rooms", () => import("../pages/rooms/rooms-page.tsx"), "RoomsPage"),
  page("/memory", () => import("../pages/memory/memory-page.tsx"), "MemoryPage"),
  page("/activity", () => import("../pages/activity/activity-page.tsx"), "ActivityPage"),
  page("/calls/$id", () => import("../pages/call/call-page.tsx"), "CallPage"),
  page("/usage", () => import("../pages/usage/usage-page.tsx"), "UsagePage"),
  page("/policy", () => import("../pages/policy/policy-page.tsx"), "PolicyPage"),
  page("/admin", () => import("../pages/admin/admin-page.tsx"), "AdminPage"),
  page("/admin/$part", () => import("../pages/admin/admin-page.tsx"), "AdminPage"),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch(search) {
    const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
    return text === "" ? "" : `?${text}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
