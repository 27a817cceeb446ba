import type { Json, JsonObject } from "@toolwright/engine";
import type { SchemaTarget, TargetSchema } from "@toolwright/engine/schema";

/** One thing for which a provider refuses a whole request, and where that is known from. */
interface Refusal {
  readonly targets: readonly SchemaTarget[];
  readonly source: string;
  readonly says: string;
  /** Names what is refused in one schema of the tool. */
  find(node: JsonObject, isTop: boolean): readonly string[];
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const keysOf = (value: Json | undefined): string[] => (isObject(value) ? Object.keys(value) : []);
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? [...value] : []);
const typesOf = ({ type }: JsonObject): Json[] => (Array.isArray(type) ? [...type] : type === undefined ? [] : [type]);
const amongKeys = (node: JsonObject, keywords: readonly string[]) => Object.keys(node).filter((keyword) => keywords.includes(keyword));
const openaiTargets = ["openai-strict", "openai"] as const;
const claudeTargets = ["anthropic", "bedrock"] as const;
/** MCP clients pass what they get on to any provider. */
const mcpTargets = ["mcp-2025-11-25", "mcp-2026-07-28"] as const;
const providers = [...openaiTargets, ...claudeTargets, "gemini", ...mcpTargets] as const;

/** What `parametersJsonSchema` and `responseJsonSchema` support of JSON Schema, as the reference of the API lists it. */
const geminiKeywords = new Set([
  ...["$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems"],
  ...["minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required", "propertyOrdering"],
]);

const definitionsOf = ({ $defs }: JsonObject): JsonObject[] => (isObject($defs) ? Object.values($defs).filter(isObject) : []);
const targetOf = (ref: Json, root: JsonObject) => {
  const { $defs } = root;
  const found = isObject($defs) ? $defs[String(ref).replace("#/$defs/", "")] : undefined;
  return isObject(found) ? found : undefined;
};

/** The references of a schema, and whether each is within a member that is not required. */
function* referencesOf(node: Json, isOptional = false): Generator<{ readonly ref: Json; readonly isOptional: boolean }> {
  if (Array.isArray(node)) for (const item of node) yield* referencesOf(item as Json, isOptional);
  if (!isObject(node)) return;
  const { $ref, $defs: _, properties, ...rest } = node;
  if ($ref !== undefined) yield { ref: $ref, isOptional };
  for (const [name, member] of Object.entries(isObject(properties) ? properties : {}))
    yield* referencesOf(member, isOptional || !listOf(node.required).includes(name));
  for (const value of Object.values(rest)) yield* referencesOf(value, isOptional);
}

function requiredCycles(part: JsonObject, root: JsonObject): string[] {
  const isCyclic = (ref: Json) => {
    const seen = new Set<Json>();
    const follow = (from: Json): boolean =>
      [...referencesOf(targetOf(from, root) ?? {})].some((next) => {
        if (next.ref === ref) return true;
        if (seen.has(next.ref)) return false;
        seen.add(next.ref);
        return follow(next.ref);
      });
    return follow(ref);
  };
  return [...referencesOf(part)].flatMap(({ ref, isOptional }) => (isOptional || !isCyclic(ref) ? [] : [String(ref)]));
}

export const refusals: readonly Refusal[] = [
  {
    targets: providers,
    source: "https://github.com/langchain-ai/langchainjs/issues/9804",
    says: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level",
    find: (node, isTop) =>
      isTop ? [...amongKeys(node, ["oneOf", "anyOf", "allOf", "enum", "not"]), ...(node.type === "object" ? [] : ["type"])] : [],
  },
  {
    targets: providers,
    source: "https://github.com/spacelift-io/spacectl/issues/402",
    says: "array schema missing items",
    find: (node) => (typesOf(node).includes("array") && !isObject(node.items) && node.prefixItems === undefined ? ["items"] : []),
  },
  {
    targets: providers,
    source: "https://github.com/enechange/collmbo/pull/384",
    says: "object schema missing properties",
    find: (node, isTop) => (isTop && node.properties === undefined && node.additionalProperties === undefined ? ["properties"] : []),
  },
  {
    targets: providers,
    source: "https://github.com/smallmain/vscode-unify-chat-provider/issues/162",
    says: "'object' is not of type 'object', 'boolean'",
    find: (node) =>
      Object.entries(isObject(node.properties) ? node.properties : {}).flatMap(([name, schema]) => (isObject(schema) ? [] : [name])),
  },
  {
    targets: providers,
    source: "https://github.com/Dokploy/mcp/issues/74",
    says: "JSON schema is invalid. It must match JSON Schema draft 2020-12",
    find: (node) => [
      ...amongKeys(node, ["definitions", "dependencies", "additionalItems", "id"]),
      ...["exclusiveMinimum", "exclusiveMaximum"].filter((keyword) => typeof node[keyword] === "boolean"),
      ...(Array.isArray(node.items) ? ["items"] : []),
      ...(node.required !== undefined && !Array.isArray(node.required) ? ["required"] : []),
    ],
  },
  {
    targets: ["openai-strict", ...mcpTargets],
    source: "https://github.com/cyanheads/git-mcp-server/issues/47",
    says: "'uri' is not a valid format",
    find: (node) => (node.format === "uri" || node.format === "uri-reference" ? ["format"] : []),
  },
  {
    targets: ["openai-strict"],
    source: "https://github.com/makenotion/notion-mcp-server/issues/102",
    says: "'allOf' is not permitted",
    find: (node) =>
      amongKeys(node, ["allOf", "oneOf", "not", "if", "then", "else", "patternProperties", "default", "prefixItems", "propertyNames"]),
  },
  {
    targets: ["openai-strict"],
    source: "https://github.com/camel-ai/camel/issues/2629",
    says: "'required' is required to be supplied and to be an array including every key in properties",
    find: (node) => {
      if (!typesOf(node).includes("object")) return [];
      const exact = keysOf(node.properties).sort().join() === [...listOf(node.required)].sort().join();
      return [...(exact ? [] : ["required"]), ...(node.additionalProperties === false ? [] : ["additionalProperties"])];
    },
  },
  {
    targets: ["openai-strict"],
    source: "https://github.com/openai/openai-python/issues/2193",
    says: "Objects provided via 'anyOf' must not share identical first keys",
    find: (node) => {
      const leads = listOf(node.anyOf).flatMap((branch) =>
        isObject(branch) && isObject(branch.properties) ? Object.entries(branch.properties).slice(0, 1) : [],
      );
      const written = leads.map((lead) => JSON.stringify(lead));
      return written.filter((lead, index) => written.indexOf(lead) < index);
    },
  },
  {
    targets: ["openai-strict"],
    source: "https://github.com/camel-ai/camel/issues/3001",
    says: "$ref cannot have keywords {'description'}",
    find: (node) => (node.$ref !== undefined && Object.keys(node).length > 1 ? ["$ref"] : []),
  },
  {
    targets: ["openai-strict", ...claudeTargets, "gemini"],
    source: "https://github.com/danny-avila/LibreChat/issues/6971",
    says: "type: must be specified when not using one_of, any_of or all_of fields",
    find: (node) => (node.type === undefined && node.anyOf === undefined && node.$ref === undefined ? ["type"] : []),
  },
  {
    targets: [...claudeTargets, "gemini"],
    source: "https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709",
    says: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    find: (node) => keysOf(node.properties).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
  },
  {
    targets: claudeTargets,
    source: "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
    says: "strict mode: no recursion, no bounds of numbers and texts, closed objects",
    find: (node) => [
      ...amongKeys(node, [
        "$ref",
        "oneOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
        "multipleOf",
      ]),
      ...(typesOf(node).includes("object") && node.additionalProperties !== false ? ["additionalProperties"] : []),
    ],
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/api/generate-content#v1beta.GenerationConfig",
    says: "only the following properties are supported",
    find: (node) => Object.keys(node).filter((keyword) => !geminiKeywords.has(keyword)),
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/api/generate-content#v1beta.GenerationConfig",
    says: "If $ref is set on a sub-schema, no other properties, except for than those starting as a $, may be set",
    find: (node) => (node.$ref === undefined ? [] : Object.keys(node).filter((keyword) => !keyword.startsWith("$"))),
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/api/generate-content#v1beta.GenerationConfig",
    says: "Cyclic references may only be used within non-required properties. (Nullable properties are not sufficient.)",
    find: (node, isTop) => (isTop ? [node, ...definitionsOf(node)].flatMap((part) => requiredCycles(part, node)) : []),
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/api/generate-content#v1beta.GenerationConfig",
    says: "enum (for strings and numbers)",
    find: (node) => listOf(node.enum).flatMap((value) => (typeof value === "string" || typeof value === "number" ? [] : [String(value)])),
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/gemini-api/docs/structured-output",
    says: 'To allow a property to be null, include "null" in the type array',
    find: (node) => (typesOf(node).filter((type) => type !== "null").length > 1 ? ["type"] : []),
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/gemini-api/docs/structured-output",
    says: "For string values: format, such as date-time, date, time",
    find: ({ format, ...node }) =>
      format === undefined || (typesOf(node).includes("string") && ["date-time", "date", "time"].includes(String(format)))
        ? []
        : ["format"],
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/gemini-api/docs/structured-output",
    says: "additionalProperties can be a boolean or a schema",
    find: ({ additionalProperties: others }) =>
      others === undefined || typeof others === "boolean" || isObject(others) ? [] : ["additionalProperties"],
  },
  {
    targets: ["gemini"],
    source: "https://github.com/anomalyco/opencode/issues/11889",
    says: "properties: only allowed for OBJECT type",
    find: (node) => (typesOf(node).includes("object") ? [] : amongKeys(node, ["properties", "required", "additionalProperties"])),
  },
  {
    targets: ["gemini"],
    source: "https://ai.google.dev/api/caching#Schema",
    says: "required names only what properties has",
    find: (node) =>
      listOf(node.required)
        .filter((name) => !keysOf(node.properties).includes(String(name)))
        .map(String),
  },
];

/** Everything in a compiled schema for which its target is known to refuse a request. */
export function findRefusals({ schema }: TargetSchema, target: SchemaTarget): string[] {
  const known = refusals.filter(({ targets }) => targets.includes(target));
  const found: string[] = [];
  const visit = (node: Json | undefined, path: string) => {
    if (!isObject(node)) return;
    for (const { find, says } of known) found.push(...find(node, path === "").map((what) => `${path || "/"}: ${what}: ${says}`));
    for (const keyword of ["properties", "$defs", "patternProperties"])
      for (const name of keysOf(node[keyword])) visit((node[keyword] as JsonObject)[name], `${path}/${keyword}/${name}`);
    for (const keyword of ["anyOf", "oneOf", "allOf", "prefixItems"])
      for (const [index, each] of listOf(node[keyword]).entries()) visit(each, `${path}/${keyword}/${index}`);
    for (const keyword of ["items", "additionalProperties", "propertyNames", "not", "if", "then", "else"])
      visit(node[keyword], `${path}/${keyword}`);
  };
  visit(schema, "");
  return found;
}
