import { type DecodedText, decodeText, type KnownEncoding } from "../documents/parse/decode-text.ts";

/** What a body can be shown as. */
type BodyKind = "html" | "text" | "json" | "binary";

const textual = new Set([
  "application/javascript",
  "application/ecmascript",
  "application/x-ndjson",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/sql",
  "application/x-sh",
  "application/x-www-form-urlencoded",
  "application/graphql",
]);

interface MediaType {
  /** Lower case, without parameters; empty when the server named none. */
  readonly essence: string;
  readonly charset: string | undefined;
}

export function parseMediaType(header: string | undefined): MediaType {
  const [essence = "", ...parameters] = (header ?? "").split(";");
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(text)?.[1]).find((found) => found !== undefined);
  return { essence: essence.trim().toLowerCase(), charset };
}

/** Goes by the server's word; without one, by the first bytes. */
export function kindOf({ essence }: MediaType, body: Uint8Array): BodyKind {
  if (essence === "text/html" || essence === "application/xhtml+xml") return "html";
  if (essence === "application/json" || essence.endsWith("+json")) return "json";
  if (essence.startsWith("text/") || essence.endsWith("+xml") || essence === "application/xml" || textual.has(essence)) return "text";
  if (essence !== "") return "binary";
  const start = new TextDecoder("latin1").decode(body.subarray(0, 1_024));
  if (start.includes("\0") || start.startsWith("%PDF-")) return "binary";
  return /^\s*<(?:!doctype html|html|head|body)/i.test(start) ? "html" : "text";
}

/** The text of a body, by what the server and the page itself say of its encoding. Where the bytes are no text, what fits none becomes U+FFFD. */
export async function decodeBody(
  body: Uint8Array,
  { charset, essence }: MediaType,
  known: Pick<KnownEncoding, "encoding" | "isCut"> = {},
): Promise<DecodedText> {
  const isMarkup = essence.includes("html") || essence.includes("xml");
  const decoded = await decodeText(body, { ...known, charset, ...(isMarkup && { isMarkup }) });
  return decoded ?? { text: new TextDecoder().decode(body), notes: [] };
}
