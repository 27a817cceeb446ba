import { hookAgents } from "../../packages/doors/src/hooks/hook-agents.ts";
import { callTool, type GrowthCase } from "./growth-case.ts";
import type { GrowthRequest } from "./served-product.ts";
import { briefTexts, jsonShapes, parsedTexts, type Size } from "./shapes.ts";

const share = (most: number, size: Size) => Math.ceil((most * size) / 8);
const boundary = "growth";

/** A body of forms, as clients of the REST door send files. */
function multipart(parts: Iterable<string>): GrowthRequest {
  const body = `${[...parts].map((part) => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`;
  return {
    ...{ method: "POST", path: "/api/tools/file_read/call", body },
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

const repeat = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, index) => write(index));

const multipartShapes: readonly (readonly [shape: string, at: (size: Size) => GrowthRequest])[] = [
  ["empty parts", (size) => multipart(repeat(share(700_000, size), () => 'content-disposition: form-data; name="a"\r\n\r\n'))],
  [
    "numbered parts",
    (size) => multipart(repeat(share(300_000, size), (index) => `content-disposition: form-data; name="a${index}"\r\n\r\n`)),
  ],
  [
    "empty files",
    (size) => multipart(repeat(share(200_000, size), () => 'content-disposition: form-data; name="a"; filename="a"\r\n\r\n')),
  ],
  [
    "many headers of a part",
    (size) =>
      multipart([
        `content-disposition: form-data; name="a"; filename="a"\r\n${repeat(share(300_000, size), (index) => `x-${index}: y\r\n`).join("")}\r\n`,
      ]),
  ],
  [
    "a long name",
    (size) => multipart([`content-disposition: form-data; name="${"a".repeat(share(10_000_000, size))}"; filename="a"\r\n\r\n`]),
  ],
  [
    "a name of escapes",
    (size) => multipart([`content-disposition: form-data; name="${"%22".repeat(share(3_000_000, size))}"; filename="a"\r\n\r\n`]),
  ],
  [
    "a file of line breaks",
    (size) => multipart([`content-disposition: form-data; name="a"; filename="a"\r\n\r\n${"\r\n".repeat(share(10_000_000, size))}`]),
  ],
  [
    "a file of near boundaries",
    (size) => multipart([`content-disposition: form-data; name="a"; filename="a"\r\n\r\n${"\r\n--growt".repeat(share(2_000_000, size))}`]),
  ],
  [
    "an input of many members",
    (size) =>
      multipart([`content-disposition: form-data; name="input"\r\n\r\n${JSON.stringify(jsonShapes[0]?.write(share(100_000, size)))}`]),
  ],
];

const version = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientInfo": { name: "growth", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function message(method: string, params: object): GrowthRequest {
  const { name } = params as { readonly name?: string };
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(name !== undefined && name.length < 100 && { "mcp-name": name }),
  };
  return {
    method: "POST",
    path: "/mcp",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: meta, ...params } }),
  };
}

const text = (length: number) => "a".repeat(length);

/** MCP methods that the door serves, with the member that a client chooses. A test compares the names with those that the door's servers handle. */
export const mcpMethods: Readonly<Record<string, (value: unknown) => object>> = {
  ping: (value) => ({ value }),
  initialize: (name) => ({ protocolVersion: version, capabilities: {}, clientInfo: { name, version: "1" } }),
  "logging/setLevel": (level) => ({ level }),
  "tools/list": (cursor) => ({ cursor }),
  "tools/call": (value) => ({ name: "file_read", arguments: { path: value } }),
  "resources/list": (cursor) => ({ cursor }),
  "resources/templates/list": (cursor) => ({ cursor }),
  "resources/read": (uri) => ({ uri }),
  "resources/subscribe": (uri) => ({ uri }),
  "resources/unsubscribe": (uri) => ({ uri }),
  "prompts/list": (cursor) => ({ cursor }),
  "prompts/get": (name) => ({ name }),
  "completion/complete": (value) => ({ ref: { type: "ref/prompt", name: "tidy" }, argument: { name: "a", value } }),
  "tasks/get": (taskId) => ({ taskId }),
  "tasks/update": (taskId) => ({ taskId }),
  "tasks/cancel": (taskId) => ({ taskId }),
};

const longest = 3_000_000;

function mcpCases(): readonly GrowthCase[] {
  return Object.entries(mcpMethods).flatMap(([method, params]) => [
    { target: method, shape: "a long text", at: (size) => message(method, params(text(share(longest, size)))) },
    { target: method, shape: "blanks", at: (size) => message(method, params(`${" ".repeat(share(longest, size))}x`)) },
    { target: method, shape: "path parts", at: (size) => message(method, params(`artifact://${"../".repeat(share(longest / 3, size))}`)) },
    ...jsonShapes.map(
      ({ name, count, write }): GrowthCase => ({
        target: method,
        shape: name,
        at: (size) => message(method, { ...params("x"), _meta: { ...meta, more: write(share(count, size)) } }),
      }),
    ),
  ]);
}

const batch = (count: number) => ({
  ...message("tools/list", {}),
  body: JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))),
});

const bodies: readonly (readonly [shape: string, write: (size: Size) => string])[] = [
  ...jsonShapes.map(({ name, count, write }) => [name, (size: Size) => JSON.stringify(write(share(count, size)))] as const),
  ["escaped names", (size) => `{${repeat(share(200_000, size), (index) => `"\\u0061${index}":1`).join(",")}}`],
  ["an open string", (size) => `{"a":"${"\\\\".repeat(share(1_500_000, size))}`],
  ["quotes without an end", (size) => `{"a":"${'"'.repeat(share(3_000_000, size))}`],
  ["blanks after a name", (size) => `{"a"${" ".repeat(share(3_000_000, size))}`],
  ["names and blanks", (size) => `{"a":[${`"a" `.repeat(share(700_000, size))}]}`],
];

function hookCases(): readonly GrowthCase[] {
  const event = (input: object) =>
    JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", cwd: "/", tool_name: "Bash", tool_input: input });
  return [...hookAgents.keys()].flatMap((agent, index) =>
    (index === 0 ? parsedTexts : briefTexts).map(
      ({ name, write }): GrowthCase => ({
        ...{ target: `POST /hooks/${agent}`, shape: `a command: ${name}` },
        at: (size) => ({
          method: "POST",
          path: `/hooks/${agent}`,
          body: JSON.stringify({ text: event({ command: write(share(longest, size)) }), variables: {} }),
        }),
      }),
    ),
  );
}

/** Patterns of a tenant's schemas that backtrack; each is the tool `own_pattern_<index>`. */
export const tenantPatterns: readonly string[] = ["^(a+)+$", "^(a|aa)+$", "^(a*)*b$"];

/** What nearly meets such a pattern: a few characters more double the steps. */
const patternCases: readonly GrowthCase[] = tenantPatterns.map((pattern, index) => ({
  ...{ target: "a tenant's own tool", shape: `text for the pattern ${pattern}` },
  at: (size) => callTool(`own_pattern_${index}`, { text: `${"a".repeat(10 + 2 * size)}!` }),
}));

/** What the doors read before an operation or a tool has it. */
export function doorCases(): readonly GrowthCase[] {
  return [
    ...multipartShapes.map(([shape, at]) => ({ target: "POST /api/tools/{name}/call (multipart)", shape, at })),
    ...bodies.map(([shape, write]) => ({
      target: "POST /api/tools/{name}/call (JSON)",
      shape,
      at: (size: Size) => ({ ...callTool("file_read", {}), body: write(size) }),
    })),
    ...bodies.map(([shape, write]) => ({
      target: "POST /mcp",
      shape,
      at: (size: Size) => ({ ...message("tools/list", {}), body: write(size) }),
    })),
    { target: "POST /mcp", shape: "a batch", at: (size) => batch(share(40_000, size)) },
    ...mcpCases(),
    ...hookCases(),
    ...patternCases,
  ];
}
