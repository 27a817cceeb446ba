/** What a body can be shown as. */
export type BodyKind = "html" | "text" | "json" | "binary";

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

export interface MediaType {
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

/** Decodes by the charset that the server or, for HTML, the page names; UTF-8 otherwise. Bytes that do not fit become U+FFFD. */
export function decodeText(body: Uint8Array, { charset, essence }: MediaType): string {
  const start = new TextDecoder("latin1").decode(body.subarray(0, 1_024));
  const named = charset ?? (essence.includes("html") ? /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(start)?.[1] : undefined);
  try {
    return new TextDecoder(named ?? "utf-8").decode(body);
  } catch {
    // An unknown charset: UTF-8 is the best guess, and wrong bytes show.
    return new TextDecoder("utf-8").decode(body);
  }
}
