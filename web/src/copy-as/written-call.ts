import type { Json } from "../form/json-schema.ts";
import { shellWord } from "./shell-word.ts";

/** A call of a tool, to be written down for somewhere else. */
export interface WrittenCall {
  readonly tool: string;
  /** Without what is secret. */
  readonly input: Json;
  /** Of the server. */
  readonly origin: string;
  /** Whether the server asks who calls. The key itself is written nowhere: each way names the variable that holds it. */
  readonly needsKey: boolean;
}

/** Bytes that one word of a command line holds on every system: Linux takes 128 KiB. */
const mostInWord = 100_000;

/** How a call is written for each of its doors. */
export const ways: readonly { readonly name: string; readonly write: (call: WrittenCall) => string }[] = [
  { name: "curl", write: toCurl },
  { name: "command line", write: toCommandLine },
  { name: "TypeScript", write: toTypeScript },
  { name: "MCP", write: toMcp },
];

function toCurl({ tool, input, origin, needsKey }: WrittenCall): string {
  const url = shellWord(`${origin}/api/tools/${encodeURIComponent(tool)}/call`);
  const key = needsKey ? ' -H "Authorization: Bearer $TOOLWRIGHT_KEY"' : "";
  const json = lineOf(input);
  const command = `curl -sS ${url}${key} -H 'Content-Type: application/json'`;
  // `--data` would read a file where the text begins with an at sign.
  return isLong(json) ? `${command} --data-binary @-${hereDocument(json)}` : `${command} --data-raw ${shellWord(json)}`;
}

function toCommandLine({ tool, input, origin }: WrittenCall): string {
  const command = `toolwright call --server ${shellWord(origin)} ${shellWord(tool)}`;
  const json = lineOf(input);
  return isLong(json) ? `${command} -${hereDocument(json)}` : `${command} ${shellWord(json)}`;
}

const clientModule = "@toolwright/doors/rest/client";

function toTypeScript({ tool, input, origin, needsKey }: WrittenCall): string {
  const key = needsKey ? ", key: process.env.TOOLWRIGHT_KEY" : "";
  return `import { createClient } from ${lineOf(clientModule)};

const client = createClient({ url: ${lineOf(origin)}${key} });
const result = await client.call(${lineOf(tool)}, ${visible(JSON.stringify(input, null, 2))});
console.log(result);
`;
}

function toMcp({ tool, input }: WrittenCall): string {
  return `${visible(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: input } }, null, 2))}\n`;
}

const isLong = (json: string) => new TextEncoder().encode(json).length > mostInWord;

/** JSON in one line never is the line that ends it. */
const hereDocument = (json: string) => ` <<'INPUT'\n${json}\nINPUT\n`;

/** JSON in one line. */
const lineOf = (value: Json) => visible(JSON.stringify(value));

/** What nobody would see is written as its number, which JSON and JavaScript read as the same: whoever pastes it sees all of it. */
function visible(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu, (hidden) =>
    hidden === "\n"
      ? hidden
      : hidden
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}
