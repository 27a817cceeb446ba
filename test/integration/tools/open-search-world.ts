import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { type CallResult, createEngine, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { createMemorySecretStore } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { httpCapability } from "@toolwright/sandbox";
import { builtinPermissions, type OperatorSearch, searchCapability, searchTools } from "@toolwright/tools";
import type { Answer } from "./search-answers.ts";

export const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "cli" };
let closing: (() => unknown)[] = [];

export async function closeWorlds(): Promise<void> {
  await Promise.all(closing.map((close) => close()));
  closing = [];
}

interface Received {
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface World {
  readonly answer?: Answer;
  /** In its place. */
  readonly respond?: (response: ServerResponse) => void;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly operator?: OperatorSearch;
  readonly policy?: object;
  /** The provider's host has this address; it is dialled as it is where that is loopback. */
  readonly address?: string;
}

/** An engine whose public hosts all end at one loopback server, which gives the answer. */
export async function openWorld({
  answer = { status: 200, body: {} },
  respond,
  secrets = {},
  policy = {},
  address = "93.184.216.34",
  operator,
}: World) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method, url = "", headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    if (respond) return respond(response);
    const { status, body } = answer;
    response.writeHead(status, { "content-type": "application/json", ...answer.headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const store = createMemorySecretStore();
  for (const [name, value] of Object.entries(secrets)) await store.set({ tenant: "t", name }, value);
  const clock = createManualClock(Date.parse("2026-01-31T12:00:00Z"));
  const http = httpCapability({
    clock,
    resolve: async () => [address],
    async connect() {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
    secrets: store,
  });
  const document = policyDocument.parse({ version: 1, ...policy });
  const engine = createEngine({
    tools: searchTools,
    capabilities: [http, searchCapability({ http, secrets: store, clock, operator })],
    policy: [{ tier: "platform", document }],
    secrets: store,
  });
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  closing.push(close, () => engine.close());
  const search = (input: object, from = principal) => engine.scope(from, { session: "s" }).invokeNamed("web_search", input as never);
  return { engine, clock, received, search, close, port };
}

export function done(result: CallResult) {
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  const told = result.content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  return { output: result.output as { results: readonly object[]; provider: string }, told, notes: result.notes };
}
export const failure = (result: CallResult) => {
  if (result.status !== "failed") throw new Error(JSON.stringify(result));
  return result.error as { code: string; toolCode?: string; message: string; details?: unknown };
};
