import {
  type AuthInfo,
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  isInputRequiredResult,
  type ListToolsRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  type ServerContext,
  type StandardSchemaV1,
  specTypeSchemas,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from "@modelcontextprotocol/server";
import { WrittenResponse } from "../../http/written-response.ts";
import { idempotencyMetaKey, tasksExtension } from "../call/call-meta.ts";
import type { CallServer } from "../call/call-server.ts";
import { callTool } from "../call/call-tool.ts";
import type { DoorParts } from "../door-parts.ts";
import { explainFault } from "../explain-fault.ts";
import { listTools } from "../page-tools.ts";

const revision = "2026-07-28";
const envelopeKeys: readonly string[] = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
const messageKeys: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const callKeys: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
const listKeys: ReadonlySet<string> = new Set(["cursor", "_meta"]);
const ownKeys: readonly string[] = [idempotencyMetaKey, TRACEPARENT_META_KEY, TRACESTATE_META_KEY];
const callMetaKeys: ReadonlySet<string> = new Set([...envelopeKeys, ...ownKeys]);
const listMetaKeys: ReadonlySet<string> = new Set(envelopeKeys);
/** Clients whose words about themselves were found well-formed; forgotten all at once when there are more. */
const mostClients = 256;

/** A request of 2026-07-28 that asks for nothing before its answer: the first round of a `tools/call`, or a `tools/list`. */
interface PlainRequest {
  readonly id: string | number;
  readonly request: CallToolRequest | ListToolsRequest;
  readonly envelope: Record<string, unknown>;
}

type Members = Record<string, unknown>;

/**
 * Answers plain requests without a protocol server made for each, which costs more than the call. *Contract:* its answers are those of the protocol
 * layer, byte for byte; all that is not exactly of this form is left to that layer.
 */
export class PlainRequests {
  readonly #parts: DoorParts;
  readonly #clients = new Set<string>();
  readonly #running = new Set<AbortController>();

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  /** Undefined for what the protocol layer shall answer. */
  take(request: Request, body: unknown, authInfo: AuthInfo): Promise<Response> | undefined {
    const plain = this.read(request, body);
    return plain && this.answer(plain, request, authInfo);
  }

  read({ headers }: Request, body: unknown): PlainRequest | undefined {
    if (!hasOnly(body, messageKeys) || body.jsonrpc !== "2.0" || !isId(body.id)) return undefined;
    const request = readCall(body, headers) ?? readList(body);
    const meta = request && (body.params as Members)._meta;
    if (!request || !isObject(meta) || meta[PROTOCOL_VERSION_META_KEY] !== revision) return undefined;
    if (headers.get("mcp-protocol-version") !== revision || headers.get("mcp-method") !== request.method) return undefined;
    if (!this.#isKnown(meta, body)) return undefined;
    return {
      id: body.id,
      request,
      envelope: pick(meta, envelopeKeys),
    };
  }

  async answer(plain: PlainRequest, { signal }: Request, authInfo: AuthInfo): Promise<Response> {
    const { id, request } = plain;
    const running = new AbortController();
    const stop = () => running.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    this.#running.add(running);
    try {
      const result = await this.#resultOf(request, contextOf(plain, running.signal, authInfo));
      return WrittenResponse.json({ result, jsonrpc: "2.0", id });
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
  #isKnown(meta: Members, body: Members): boolean {
    const client = JSON.stringify(pick(meta, [CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]));
    if (this.#clients.has(client)) return true;
    const headers = { protocolVersionHeader: revision, mcpMethodHeader: String(body.method) };
    if (classifyInboundRequest({ httpMethod: "POST", ...headers, body }).kind !== "modern") return false;
    if (this.#clients.size >= mostClients) this.#clients.clear();
    this.#clients.add(client);
    return true;
  }

  /** With what the protocol layer adds to a result, in its order. */
  async #resultOf(request: PlainRequest["request"], ctx: ServerContext): Promise<Members> {
    const { serverInfo } = this.#parts.serving;
    const serverMeta = { [SERVER_INFO_META_KEY]: serverInfo };
    if (request.method === "tools/list") {
      const page = listTools(this.#parts, ctx, { cursor: request.params?.cursor });
      return { ...page, resultType: "complete", ttlMs: 0, cacheScope: "private", _meta: serverMeta };
    }
    const result = await callTool(request, ctx, { server: server2026, parts: this.#parts });
    if (isInputRequiredResult(result)) return { ...result, _meta: { ...result._meta, ...serverMeta } };
    const { _meta, content, structuredContent, isError } = checkResult(result);
    return {
      ...(_meta && { _meta: { ..._meta, ...serverMeta } }),
      content,
      ...(structuredContent !== undefined && { structuredContent }),
      ...(isError !== undefined && { isError }),
      resultType: "complete",
      ...(!_meta && { _meta: serverMeta }),
    };
  }
}

function readCall({ method, params }: Members, headers: Headers): CallToolRequest | undefined {
  if (method !== "tools/call" || !hasOnly(params, callKeys) || typeof params.name !== "string") return undefined;
  const { name, arguments: input, _meta: meta } = params;
  if (!isInput(input) || !hasOnly(meta, callMetaKeys) || headers.get("mcp-name") !== name || leavesCalls(meta)) return undefined;
  return { method, params: { name, ...(input && { arguments: input }), ...ownMeta(meta) } };
}

/** The answer to such a client may be a task. */
function leavesCalls({ [CLIENT_CAPABILITIES_META_KEY]: capabilities }: Members): boolean {
  return isObject(capabilities) && isObject(capabilities.extensions) && Object.hasOwn(capabilities.extensions, tasksExtension);
}

/** The protocol layer leaves a member named `__proto__` out, and says nothing. */
function isInput(input: unknown): input is Members | undefined {
  return input === undefined || (isObject(input) && !Object.hasOwn(input, "__proto__"));
}

function readList({ method, params }: Members): ListToolsRequest | undefined {
  if (method !== "tools/list" || !hasOnly(params, listKeys) || !hasOnly(params._meta, listMetaKeys)) return undefined;
  const { cursor } = params;
  if (cursor === undefined) return { method };
  return typeof cursor === "string" ? { method, params: { cursor } } : undefined;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOnly(value: unknown, keys: ReadonlySet<string>): value is Members {
  return isObject(value) && Object.keys(value).every((key) => keys.has(key));
}

export const isId = (id: unknown): id is string | number => typeof id === "string" || Number.isSafeInteger(id);

/** Without what the protocol layer takes for itself. */
function ownMeta(meta: Members): { readonly _meta?: Members } {
  return ownKeys.some((key) => key in meta) ? { _meta: pick(meta, ownKeys) } : {};
}

function pick(members: Members, keys: readonly string[]): Members {
  const picked: Members = {};
  for (const key of keys) if (key in members) picked[key] = members[key];
  return picked;
}

/** The client gave no way to send it anything before its answer: no token for progress, no level of logs. */
function contextOf({ id, request, envelope }: PlainRequest, signal: AbortSignal, authInfo: AuthInfo): ServerContext {
  const _meta = request.params?._meta;
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

/** Text needs no check; anything else a tool gives is checked, and its members ordered, by the protocol layer's own schema. */
function checkResult(result: CallToolResult): CallToolResult {
  if (result.content.every(isPlainText)) return result;
  const checked = specTypeSchemas.CallToolResult["~standard"].validate(result) as StandardSchemaV1.Result<CallToolResult>;
  if (!checked.issues) return checked.value;
  const problem = JSON.stringify(checked.issues, undefined, 2);
  throw explainFault("tools/call", new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid tools/call result: ${problem}`));
}

function isPlainText(block: CallToolResult["content"][number]): boolean {
  const [first, second, ...others] = Object.keys(block);
  return block.type === "text" && first === "type" && second === "text" && others.length === 0;
}

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
  return WrittenResponse.json({ jsonrpc: "2.0", id, error }, { status });
}
