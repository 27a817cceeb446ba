import {
  type AuthInfo,
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { idempotencyMetaKey } from "../call/call-meta.ts";
import { type CallServer, callTool } from "../call/call-tool.ts";
import type { DoorParts } from "../door-parts.ts";

const revision = "2026-07-28";
const envelopeKeys: readonly string[] = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
const messageKeys: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const paramKeys: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
const metaKeys: ReadonlySet<string> = new Set([...envelopeKeys, idempotencyMetaKey]);
/** Clients whose words about themselves were found well-formed; forgotten all at once when there are more. */
const mostClients = 256;

/** The first round of a `tools/call` of 2026-07-28 that asks for nothing before its answer. */
export interface PlainCall {
  readonly id: string | number;
  readonly request: CallToolRequest;
  readonly envelope: Record<string, unknown>;
}

type Members = Record<string, unknown>;

/**
 * Answers plain calls without a protocol server made for each, which costs more than the call. *Contract:* its answers are those of the protocol
 * layer, byte for byte but for the order of members; all that is not exactly of this form is left to that layer.
 */
export class PlainCalls {
  readonly #parts: DoorParts;
  readonly #clients = new Set<string>();
  readonly #running = new Set<AbortController>();

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  /** Undefined for what the protocol layer shall answer. */
  read({ headers }: Request, body: unknown): PlainCall | undefined {
    if (!hasOnly(body, messageKeys) || body.jsonrpc !== "2.0" || body.method !== "tools/call" || !isId(body.id)) return undefined;
    const { id, params } = body;
    if (!hasOnly(params, paramKeys) || typeof params.name !== "string") return undefined;
    const { name, arguments: input, _meta: meta } = params;
    if ((input !== undefined && !isObject(input)) || !hasOnly(meta, metaKeys) || meta[PROTOCOL_VERSION_META_KEY] !== revision)
      return undefined;
    const isNamed = headers.get("mcp-method") === "tools/call" && headers.get("mcp-name") === name;
    if (!isNamed || headers.get("mcp-protocol-version") !== revision || !this.#isKnown(meta, body)) return undefined;
    const request = { method: "tools/call" as const, params: { name, ...(input && { arguments: input }), ...ownMeta(meta) } };
    return { id, request, envelope: Object.fromEntries(envelopeKeys.flatMap((key) => (key in meta ? [[key, meta[key]]] : []))) };
  }

  async answer({ id, request, envelope }: PlainCall, { signal }: Request, authInfo: AuthInfo): Promise<Response> {
    const running = new AbortController();
    const stop = () => running.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    this.#running.add(running);
    try {
      const ctx = contextOf({ id, request, envelope }, running.signal, authInfo);
      const result = await callTool(request, ctx, { server: server2026, parts: this.#parts });
      return Response.json({ result: this.#written(result), jsonrpc: "2.0", id });
    } catch (error) {
      return refusal(id, error);
    } finally {
      this.#running.delete(running);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Cancels what runs. */
  close(): void {
    for (const running of this.#running) running.abort(new Error("The server is stopping."));
  }

  /** The protocol layer looks at what a client says of itself when it says it for the first time. */
  #isKnown(meta: Members, body: unknown): boolean {
    const client = JSON.stringify([meta[CLIENT_INFO_META_KEY], meta[CLIENT_CAPABILITIES_META_KEY]]);
    if (this.#clients.has(client)) return true;
    const headers = { protocolVersionHeader: revision, mcpMethodHeader: "tools/call" };
    if (classifyInboundRequest({ httpMethod: "POST", ...headers, body }).kind !== "modern") return false;
    if (this.#clients.size >= mostClients) this.#clients.clear();
    this.#clients.add(client);
    return true;
  }

  #written(result: Awaited<ReturnType<typeof callTool>>) {
    const { serverInfo } = this.#parts.serving;
    return { resultType: "complete", ...result, _meta: { ...result._meta, [SERVER_INFO_META_KEY]: serverInfo } };
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOnly(value: unknown, keys: ReadonlySet<string>): value is Members {
  return isObject(value) && Object.keys(value).every((key) => keys.has(key));
}

const isId = (id: unknown): id is string | number => typeof id === "string" || Number.isSafeInteger(id);

/** Without what the protocol layer takes for itself. */
function ownMeta(meta: Members): { readonly _meta?: Members } {
  return idempotencyMetaKey in meta ? { _meta: { [idempotencyMetaKey]: meta[idempotencyMetaKey] } } : {};
}

/** The client gave no way to send it anything before its answer: no token for progress, no level of logs. */
function contextOf({ id, request, envelope }: PlainCall, signal: AbortSignal, authInfo: AuthInfo): ServerContext {
  const { _meta } = request.params;
  const sent = async () => {};
  const mcpReq = { id, method: request.method, _meta, envelope, signal, requestState: () => undefined, notify: sent, log: sent };
  return { mcpReq, http: { authInfo } } as unknown as ServerContext;
}

/** As the protocol layer is to a call of this revision: capabilities come with each request. */
const server2026: CallServer = {
  getClientCapabilities: () => undefined,
  getClientVersion: () => undefined,
  projectCallToolResult(result) {
    if (result.structuredContent === undefined || isObject(result.structuredContent) || result.content.some(isText)) return result;
    return { ...result, content: [...result.content, { type: "text", text: JSON.stringify(result.structuredContent) }] };
  },
};

const isText = ({ type }: CallToolResult["content"][number]) => type === "text";

/** Errors of a handler are answered with 200, but for the one that the revision gives a status (MCP 2026-07-28, "Capability negotiation"). */
function refusal(id: string | number, thrown: unknown): Response {
  const {
    code,
    message = "Internal error",
    data,
  } = thrown as { readonly code?: unknown; readonly message?: string; readonly data?: unknown };
  const known = Number.isSafeInteger(code) ? (code as number) : ProtocolErrorCode.InternalError;
  const error = { code: known, message, ...(data !== undefined && { data }) };
  const status = known === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
  return Response.json({ jsonrpc: "2.0", id, error }, { status });
}
