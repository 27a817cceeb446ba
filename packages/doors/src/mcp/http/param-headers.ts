import type { JsonObject } from "@toolwright/engine";

/** A member of a tool's input that its requests repeat in a header, so that proxies can route by it (MCP 2026-07-28, "Custom headers"). */
interface Mirrored {
  readonly path: readonly string[];
  readonly header: string;
  readonly isInteger: boolean;
}

/** Header and body of a request disagree about a member of the input. */
export interface ParamMismatch {
  readonly header: string;
  readonly body: string;
}

/** Where an input schema names the header of a member. */
const paramHeaderKey = "x-mcp-header";

const none: readonly Mirrored[] = [];
const known = new WeakMap<JsonObject, readonly Mirrored[]>();

/** What is wrong with the `Mcp-Param-*` headers of a call, by the schema of its tool. */
export function checkParamHeaders(schema: JsonObject, input: unknown, headers: Headers): ParamMismatch | undefined {
  for (const mirrored of mirroredIn(schema)) {
    const said = sayInHeader(valueAt(input, mirrored.path));
    if (said === undefined) continue;
    const header = `Mcp-Param-${mirrored.header}`;
    const sent = headers.get(header);
    const place = `${mirrored.path.join(".")}=${JSON.stringify(valueAt(input, mirrored.path))}`;
    if (sent === null) return { header, body: `the body carries ${place} but the ${header} header is absent` };
    const read = readHeader(sent);
    if (read === undefined) return { header, body: `the ${header} header carries an invalid Base64 sentinel value` };
    if (!isSame(read, said, mirrored))
      return { header, body: `the ${header} header decodes to ${JSON.stringify(read)} but the body carries ${place}` };
  }
  return undefined;
}

/** Each schema is searched once. */
function mirroredIn(schema: JsonObject): readonly Mirrored[] {
  const before = known.get(schema);
  if (before) return before;
  const found = search(schema, []);
  known.set(schema, found.length === 0 ? none : found);
  return found;
}

function search(schema: JsonObject, path: readonly string[]): readonly Mirrored[] {
  const { [paramHeaderKey]: header, properties, type } = schema;
  const types = Array.isArray(type) ? type : [type];
  const here = typeof header === "string" ? [{ path, header, isInteger: types.includes("integer") }] : none;
  if (!isObject(properties)) return here;
  return [...here, ...Object.entries(properties).flatMap(([name, child]) => (isObject(child) ? search(child, [...path, name]) : none))];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), input);
}

/** Undefined for what no header has to repeat. */
function sayInHeader(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value !== "number" || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  return String(value);
}

const encoded = /^=\?base64\?(.*)\?=$/s;
const canonicalBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readHeader(sent: string): string | undefined {
  const text = encoded.exec(sent)?.[1];
  if (text === undefined) return sent;
  if (!canonicalBase64.test(text)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "base64"));
  } catch {
    return undefined;
  }
}

const decimal = /^-?\d+(?:\.\d+)?$/;

function isSame(read: string, said: string, { isInteger }: Mirrored): boolean {
  return read === said || (isInteger && decimal.test(read) && decimal.test(said) && Number(read) === Number(said));
}
