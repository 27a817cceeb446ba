/** How a client sends the form back: as a result, as an error, or not at all. */
export type FormAnswer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } } | "nothing";

export interface HandCall {
  /** Of the MCP door. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the client says when it is asked. */
  readonly answer: FormAnswer | ((form: OpenForm) => Promise<FormAnswer>);
  readonly client?: { readonly name: string; readonly version: string };
}

/** A form that a client has before it. */
export interface OpenForm {
  readonly message: string;
  /** The request that would answer it, for another program to send. */
  answering(answer: { readonly result: unknown }): { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

export interface HandResult {
  readonly asked: number;
  /** Text of the last answer; empty when the client went away. */
  readonly text: string;
  readonly status: number;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly message?: string };
  readonly result?: { readonly content?: readonly { text?: string }[]; readonly inputRequests?: unknown; readonly requestState?: string };
  readonly error?: { readonly message: string };
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const bearer = (token: string | undefined): Record<string, string> => (token === undefined ? {} : { authorization: `Bearer ${token}` });
const defaultClient = { name: "by-hand", version: "1.2.3" };
const textOf = ({ result, error }: Message) => error?.message ?? (result?.content ?? []).map(({ text = "" }) => text).join("\n");
const resolveAnswer = async ({ answer }: HandCall, form: OpenForm) => (typeof answer === "function" ? answer(form) : answer);

/** A call with every byte by hand, in each era of the protocol. */
export const eras: readonly { readonly era: string; readonly call: (asked: HandCall) => Promise<HandResult> }[] = [
  { era: "2026-07-28", call: callStateless },
  { era: "2025-11-25", call: callInSession },
];

async function callStateless(asked: HandCall): Promise<HandResult> {
  const { url, token, tool, input, client = defaultClient } = asked;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": client,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const headers = { ...json, ...bearer(token), "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool };
  const bodyOf = (more: object) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: input, _meta, ...more } });
  const first = await fetch(url, { method: "POST", headers, body: bodyOf({}) });
  const message = (await first.json()) as Message;
  const requests = message.result?.inputRequests as { approval?: { params: { message: string } } } | undefined;
  if (requests?.approval === undefined) return { asked: 0, text: textOf(message), status: first.status };
  const { requestState } = message.result ?? {};
  const answering = ({ result }: { result: unknown }) => ({
    headers,
    body: bodyOf({ inputResponses: result === undefined ? {} : { approval: result }, requestState }),
  });
  const given = await resolveAnswer(asked, { message: requests.approval.params.message, answering });
  if (given === "nothing") return { asked: 1, text: "", status: 0 };
  // In this era an error stays with the client: all that it can send is a request without the answer.
  const { body } = answering({ result: "result" in given ? given.result : undefined });
  const second = await fetch(url, { method: "POST", headers, body });
  return { asked: 1, text: textOf((await second.json()) as Message), status: second.status };
}

async function callInSession(asked: HandCall): Promise<HandResult> {
  const { url, token, tool, input, client = defaultClient } = asked;
  const headers: Record<string, string> = { ...json, ...bearer(token) };
  const post = (message: object) => fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: client };
  const opened = await post({ id: 0, method: "initialize", params });
  await opened.text();
  headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? "";
  headers["mcp-protocol-version"] = "2025-11-25";
  await post({ method: "notifications/initialized" });
  const called = await post({ id: 1, method: "tools/call", params: { name: tool, arguments: input } });
  let count = 0;
  for await (const message of readMessages(called)) {
    if (message.method !== "elicitation/create") {
      if (message.id === 1) return { asked: count, text: textOf(message), status: called.status };
      continue;
    }
    count++;
    const answering = ({ result }: { result: unknown }) => ({ headers, body: JSON.stringify({ jsonrpc: "2.0", id: message.id, result }) });
    const given = await resolveAnswer(asked, { message: message.params?.message ?? "", answering });
    // To leave the loop closes the connection.
    if (given === "nothing") return { asked: count, text: "", status: 0 };
    await (await post({ id: message.id, ...given })).text();
  }
  throw new Error("The stream ended without an answer.");
}

async function* readMessages(response: Response): AsyncGenerator<Message> {
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    yield (await response.json()) as Message;
    return;
  }
  let text = "";
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split("\n")
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trim()] : []))
        .join("\n");
      if (data !== "") yield JSON.parse(data) as Message;
    }
  }
}
