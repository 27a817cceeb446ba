import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { writeNote } from "../documents/parse/document-note.ts";
import { hostOf } from "./host-of.ts";
import { decodeBody, kindOf, parseMediaType } from "./media-type.ts";

/** Bytes of a body in one answer; more only on demand. */
const usualBytes = 60_000;
const header = z.object({ name: z.string().describe("Name of the header."), value: z.string().describe("Value of the header.") });

/** Sends one HTTP request. */
export default defineTool({
  name: "http_request",
  title: "HTTP request",
  group: "net",
  description:
    "Send one HTTP request, for APIs and for anything that needs a method, headers or a body. To read a web page use web_fetch, which is cheaper to read. " +
    "Any status counts as an answer: look at status, 404 and 500 are not failures of this tool. Only public hosts that the policy permits are reached. " +
    "A POST or PATCH that ended in doubt must not be sent again before you have looked whether it took effect. " +
    "Never write a password or token into headers: name a stored secret in credential.",
  input: z.object({
    url: z.string().min(1).describe("Absolute http or https URL, without a user name or password."),
    method: z.enum(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]).nullish().describe("Default: GET."),
    headers: z
      .array(header)
      .nullish()
      .describe("Headers to send. Host, Content-Length and others that belong to the connection are set for you."),
    body: z.string().nullish().describe("Body for POST, PUT, PATCH or DELETE. Say what it is in a Content-Type header."),
    credential: z
      .string()
      .min(1)
      .nullish()
      .describe("Name of a stored secret that is bound to this host; it is sent as a header, and you never see it."),
    timeoutSeconds: z.int().min(1).max(120).nullish().describe("Seconds for all of it, redirects included. Default: 30."),
    maxBytes: z.int().min(1).max(5_000_000).nullish().describe(`Bytes of the body to keep. Default: ${usualBytes}.`),
  }),
  output: z.object({
    url: z.string().describe("Where the answer came from, after redirects."),
    status: z.int().describe("HTTP status code."),
    headers: z.array(header).describe("Headers of the answer, names in lower case."),
    body: z.string().describe("The body as text, or in base64 when it is not text."),
    encoding: z.enum(["text", "base64"]).describe("How body is written."),
    bytes: z.int().describe("Bytes of the body that are here."),
    truncated: z.boolean().describe("True when the body goes on; ask again with a larger maxBytes."),
    redirects: z.array(z.string()).describe("The URLs that were redirected to, in order."),
  }),
  permission: "web.tenant.send",
  effects: { http: "write" },
  examples: [
    {
      label: "Read from an API",
      input: { url: "https://api.github.com/repos/nodejs/node", headers: [{ name: "Accept", value: "application/json" }] },
    },
    {
      label: "Send JSON with a stored secret",
      input: {
        url: "https://api.example.com/items",
        method: "POST",
        headers: [{ name: "Content-Type", value: "application/json" }],
        body: '{"name":"a"}',
        credential: "EXAMPLE_TOKEN",
      },
    },
  ],
  aliases: { uri: "url", data: "body", timeout: "timeoutSeconds" },
  reaches: ({ url, method, credential }) => [{ kind: "request", url, method: method ?? "GET", credential: credential ?? undefined }],
  preview: ({ url, method, headers, body, credential }) => [
    {
      ...{ kind: "request", url, method: method ?? "GET", headers: headers ?? [] },
      ...{ body: body ?? undefined, credential: credential ?? undefined },
      shows: ["url", "method", "headers", "body", "credential"],
    },
  ],
  foreign: { kind: "web", sources: ({ url }) => [{ kind: "web", place: url }], members: ["value", "body"] },
  ask: ({ url, method, credential }, say) => {
    const [verb, host] = [method ?? "GET", hostOf(url)];
    return credential == null
      ? say`Send a ${verb} request to ${host}?`
      : say`Send a ${verb} request to ${host}, with the secret ${credential}?`;
  },
  async run({ url, method, headers, body, credential, timeoutSeconds, maxBytes }, { http, note }) {
    const response = await http.request({
      url,
      method: method ?? "GET",
      headers: joinHeaders(headers ?? []),
      maxBytes: maxBytes ?? usualBytes,
      timeoutMs: (timeoutSeconds ?? 30) * 1_000,
      ...(body == null ? {} : { body }),
      ...(credential == null ? {} : { credential }),
    });
    const type = parseMediaType(response.headers["content-type"]);
    const decoded =
      kindOf(type, response.body) === "binary" ? undefined : await decodeBody(response.body, type, { isCut: response.truncated });
    for (const each of decoded?.notes ?? []) note(writeNote(each));
    return {
      url: response.url,
      status: response.status,
      headers: Object.entries(response.headers).map(([name, value]) => ({ name, value })),
      body: decoded ? decoded.text : Buffer.from(response.body).toString("base64"),
      encoding: decoded ? ("text" as const) : ("base64" as const),
      bytes: response.body.byteLength,
      truncated: response.truncated,
      redirects: [...response.redirects],
    };
  },
});

/** RFC 9110 section 5.3: fields of one name are one field, joined by commas. */
function joinHeaders(headers: readonly z.infer<typeof header>[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    const before = joined.get(key);
    joined.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(joined);
}
