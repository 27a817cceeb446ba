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
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from "@modelcontextprotocol/server";
import { idempotencyMetaKey } from "../call/call-meta.ts";
import { type CallServer, callTool } from "../call/call-tool.ts";
import type { DoorParts } from "../door-parts.ts";
import { listTools } from "../list-tools.ts";
import type { ToolPage } from "../page-tools.ts";

const revision = "2026-07-28";
const envelopeKeys: readonly string[] = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
const messageKeys: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const callKeys: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
const listKeys: ReadonlySet<string> = new Set(["cursor", "_meta"]);
const traceKeys: readonly string[] = [TRACEPARENT_META_KEY, TRACESTATE_META_KEY];
const ownKeys: readonly string[] = [idempotencyMetaKey, ...traceKeys];
const metaKeys: ReadonlySet<string> = new Set([...envelopeKeys, ...ownKeys]);
/** Clients whose words about themselves were found well-formed; forgotten all at once when there are more. */
const mostClients = 256;

/** A `tools/list`, or the first round of a `tools/call`, of 2026-07-28 that asks for nothing before its answer. */
export interface PlainCall {
  readonly id: string | number;
  readonly request: CallToolRequest | PlainList;
  readonly envelope: Record<string, unknown>;
}

interface PlainList {
  readonly method: "tools/list";
  readonly params: { readonly cursor?: string; readonly _meta?: Members };
}

type Members = Record<string, unknown>;
type Result = Awaited<ReturnType<typeof callTool>> | (ToolPage & Members & { readonly _meta?: Members });

/**
 * Answers plain calls without a protocol server made for each, which costs more than the call. *Contract:* its answers are those of the protocol
 * layer, byte for byte; all that is not exactly of this form is left to that layer.
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
    if (!hasOnly(body, messageKeys) || body.jsonrpc !== "2.0" || !isId(body.id)) return undefined;
    const { id, method, params } = body;
    const request = method === "tools/call" ? readCall(params) : method === "tools/list" ? readList(params) : undefined;
    const meta = request && (params as Members)._meta;
    if (!request || !hasOnly(meta, metaKeys) || meta[PROTOCOL_VERSION_META_KEY] !== revision) return undefined;
    const name = "name" in request.params ? request.params.name : null;
    const isNamed = headers.get("mcp-method") === method && headers.get("mcp-name") === name;
    if (!isNamed || headers.get("mcp-protocol-version") !== revision || !this.#isKnown(meta, body)) return undefined;
    const envelope = pick(meta, envelopeKeys);
    Object.assign(request.params, ownKeys.some((key) => key in meta) && { _meta: pick(meta, ownKeys) });
    return { id, request, envelope };
  }

  async answer({ id, request, envelope }: PlainCall, { signal }: Request, authInfo: AuthInfo): Promise<Response> {
    const running = new AbortController();
    const stop = () => running.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    this.#running.add(running);
    try {
      const ctx = contextOf({ id, request, envelope }, running.signal, authInfo);
      const result = await this.#result(request, ctx);
      return Response.json({ result: this.#written(result), jsonrpc: "2.0", id });
    } catch (error) {
      return refusal(id, error);
    } finally {
      this.#running.delete(running);
      signal.removeEventListener("abort", stop);
    }
  }

  #result(request: PlainCall["request"], ctx: ServerContext): Promise<Result> | Result {
    if (request.method === "tools/call") return callTool(request, ctx, { server: server2026, parts: this.#parts });
    return { ...listTools(request.params.cursor, ctx, this.#parts), resultType: "complete", ttlMs: 0, cacheScope: "private" };
  }

  /** Cancels what runs. */
  close(): void {
    for (const running of this.#running) running.abort(new Error("The server is stopping."));
  }

  /** The protocol layer looks at what a client says of itself when it says it for the first time. */
  #isKnown(meta: Members, body: unknown): boolean {
    const client = JSON.stringify(pick(meta, [CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]));
    if (this.#clients.has(client)) return true;
    if (classifyInboundRequest({ httpMethod: "POST", protocolVersionHeader: revision, body }).kind !== "modern") return false;
    if (this.#clients.size >= mostClients) this.#clients.clear();
    this.#clients.add(client);
    return true;
  }

  #written(result: Result) {
    const { serverInfo } = this.#parts.serving;
    return { ...result, resultType: result.resultType ?? "complete", _meta: { ...result._meta, [SERVER_INFO_META_KEY]: serverInfo } };
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOnly(value: unknown, keys: ReadonlySet<string>): value is Members {
  return isObject(value) && Object.keys(value).every((key) => keys.has(key));
}

const isId = (id: unknown): id is string | number => typeof id === "string" || Number.isSafeInteger(id);

function readCall(params: unknown): CallToolRequest | undefined {
  if (!hasOnly(params, callKeys) || typeof params.name !== "string") return undefined;
  const { name, arguments: input } = params;
  if (input !== undefined && (!isObject(input) || Object.hasOwn(input, "__proto__"))) return undefined;
  return { method: "tools/call", params: { name, ...(input && { arguments: input }) } };
}

function readList(params: unknown): PlainList | undefined {
  if (!hasOnly(params, listKeys)) return undefined;
  const { cursor } = params;
  if (cursor !== undefined && typeof cursor !== "string") return undefined;
  return { method: "tools/list", params: { ...(cursor !== undefined && { cursor }) } };
}

function pick(members: Members, keys: readonly string[]): Members {
  return Object.fromEntries(keys.flatMap((key) => (key in members ? [[key, members[key]]] : [])));
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
  getNegotiatedProtocolVersion: () => revision,
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
