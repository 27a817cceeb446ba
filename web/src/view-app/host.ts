import type { Row } from "../result/shape-of.ts";

/** What the host tells the app. */
export interface HostListener {
  /** The protocol's name for it, without `ui/notifications/`, and what came with it. */
  onNotification(name: string, params: unknown): void;
  onContext(context: Row): void;
  /** It answered: from now on it hears what it is told. */
  onOpened(tell: (name: string, params: Row) => void): void;
  onRefused(words: string): void;
}

const prefix = "ui/notifications/";
const openingId = 1;
const methodNotFound = -32601;

/**
 * The app's end of the conversation with the program that shows it: JSON-RPC 2.0 over `postMessage`
 * (MCP Apps 2026-01-26, "Communication Protocol").
 */
export function talkToHost({ onNotification, onContext, onOpened, onRefused }: HostListener): void {
  // The section's own form: an app in a sandbox cannot know where it is shown, and says nothing that others may not read.
  const send = (message: Row) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (name: string, params: Row) => send({ method: `${prefix}${name}`, params });
  let isOpen = false;
  const open = ({ result, error }: Row) => {
    if (isOpen) return;
    if (!isObject(result)) return onRefused(isObject(error) && typeof error.message === "string" ? error.message : "");
    isOpen = true;
    if (isObject(result.hostContext)) onContext(result.hostContext);
    // The host says nothing before it hears this ("Sandbox proxy", 6).
    notify("initialized", {});
    onOpened(notify);
  };
  const hear = ({ id, method, params, ...answer }: Row) => {
    if (typeof method !== "string") return id === openingId ? open(answer) : undefined;
    if (id !== undefined) return send({ id, ...answerTo(method) });
    if (method === `${prefix}host-context-changed`) return isObject(params) ? onContext(params) : undefined;
    if (method.startsWith(prefix)) onNotification(method.slice(prefix.length), params);
  };
  window.addEventListener("message", ({ source, data }) => {
    if (source === window.parent && isObject(data) && data.jsonrpc === "2.0") hear(data);
  });
  const appInfo = { name: "toolwright-view", version: "1" };
  const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
  send({ id: openingId, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo, appCapabilities } });
}

/** There is nothing to lose at a teardown. */
function answerTo(method: string): Row {
  if (method === "ping" || method === "ui/resource-teardown") return { result: {} };
  return { error: { code: methodNotFound, message: `The view has no method ${method}.` } };
}

function isObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
