import type { ServerFacts } from "@toolwright/server/facts";

export type OpeningId = string | number;

interface OpeningAnswer {
  readonly id: OpeningId;
  /** JSON-RPC, one line. */
  readonly text: string;
}

/** Revisions with a handshake, the one that is offered to a client of an unknown one first. */
export const handshakeRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;
/** Revisions without. */
const statelessRevisions = ["2026-07-28"] as const;

const capabilities = { logging: {}, tools: { listChanged: true }, resources: { listChanged: false, subscribe: false } };
const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;

/**
 * What the protocol layer will answer to the message that opens a connection at stdin, which it sees too; undefined for a message that it has to look
 * at more closely.
 */
export function answerOpening(opening: object, facts: ServerFacts): OpeningAnswer | undefined {
  const message = opening as Fields;
  const { id, method } = message;
  if (message.jsonrpc !== "2.0" || (typeof id !== "string" && typeof id !== "number")) return undefined;
  const params = asObject(message.params) ?? {};
  const meta = asObject(params._meta) ?? {};
  const claimed = meta[metaKey("protocolVersion")];
  const result =
    method === "initialize" && claimed === undefined
      ? initialize(params, facts)
      : method === "server/discover" && statelessRevisions.some((revision) => revision === claimed)
        ? discover(meta, facts)
        : undefined;
  return result && { id, text: `${JSON.stringify({ result, jsonrpc: "2.0", id })}\n` };
}

function initialize(
  { protocolVersion, capabilities: offered, clientInfo }: Fields,
  { serverInfo, instructions }: ServerFacts,
): Fields | undefined {
  if (typeof protocolVersion !== "string" || !asObject(offered) || !isImplementation(clientInfo)) return undefined;
  const revision = handshakeRevisions.find((known) => known === protocolVersion) ?? handshakeRevisions[0];
  return { protocolVersion: revision, capabilities, serverInfo, instructions };
}

function discover(meta: Fields, { serverInfo, instructions }: ServerFacts): Fields | undefined {
  if (!asObject(meta[metaKey("clientCapabilities")]) || !isImplementation(meta[metaKey("clientInfo")])) return undefined;
  return {
    supportedVersions: statelessRevisions,
    capabilities: { ...capabilities, extensions: { [metaKey("tasks")]: {} } },
    instructions,
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
    _meta: { [metaKey("serverInfo")]: serverInfo },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function asObject(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function isImplementation(value: unknown): boolean {
  const given = asObject(value);
  return typeof given?.name === "string" && typeof given.version === "string";
}
