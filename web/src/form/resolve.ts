import type { JsonSchema } from "./json-schema.ts";

/** What a reference leads to: only what the document itself holds. */
export function resolve(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, name) ? (found as Record<string, unknown>)[name] : undefined;
  }
  return typeof found === "object" && found !== null ? (found as JsonSchema) : undefined;
}
