import type { CallResult, Json, JsonObject } from "@toolwright/engine";
import { openAccess } from "../mcp/index.ts";
import { createRestDoor } from "../rest/index.ts";
import { answerOf, type DoorAdapter, type DoorClient, type DoorWorld, type OfferedTool } from "./door-adapter.ts";

/** A REST door that serves, in this process or behind a socket. */
export interface ServedRest {
  /** Origin of the server: `http://127.0.0.1:7777`. */
  readonly origin: string;
  readonly fetch: (request: Request) => Promise<Response>;
  close(): Promise<void>;
}

export interface RestDoorChoice {
  readonly name: string;
  /** Media type of the answers: `text/event-stream` streams calls. */
  readonly accept: string;
  serve(world: DoorWorld): Promise<ServedRest>;
}

async function serveHere({ engine, principal }: DoorWorld): Promise<ServedRest> {
  const door = createRestDoor({ engine, authentication: openAccess(principal) });
  return { origin: "http://localhost", fetch: door.fetch, close: () => door.close() };
}

/** REST, with answers at once and as streams, over real requests. */
export const restDoors: readonly DoorAdapter[] = [
  restDoor({ name: "rest", accept: "application/json", serve: serveHere }),
  restDoor({ name: "rest, stream", accept: "text/event-stream", serve: serveHere }),
];

/** Makes the adapter of a REST door, wherever it serves. */
export function restDoor({ name, accept, serve }: RestDoorChoice): DoorAdapter {
  return { name, open: async (world) => clientOf(await serve(world), world, accept) };
}

function clientOf({ origin, fetch, close }: ServedRest, { session }: DoorWorld, accept: string): DoorClient {
  const heard: string[] = [];
  const send = async (path: string, body?: Json) => {
    const headers = {
      accept,
      host: new URL(origin).host,
      "toolwright-session": session,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const text = await (await fetch(new Request(`${origin}/api${path}`, init))).text();
    heard.push(text);
    return text;
  };
  return {
    list: async () => (JSON.parse(await send("/tools")) as { readonly items: readonly OfferedTool[] }).items,
    call: async (name, input) => answerOf(readResult(await send(`/tools/${name}/call`, input))),
    resume: async (approvalId) => answerOf(readResult(await send(`/approvals/${approvalId}/run`, {}))),
    heard: () => heard.splice(0).join("\n"),
    close,
  };
}

/** Reads the result from a body that is the result, a problem that holds it, or a stream that ends with it. */
function readResult(text: string): CallResult {
  const data = text.startsWith("{")
    ? text
    : text
        .split("\n")
        .findLast((line) => line.startsWith("data: "))
        ?.slice("data: ".length);
  const body = JSON.parse(data ?? "null") as (JsonObject & { readonly result?: CallResult }) | null;
  const result = body?.result ?? (body as CallResult | null);
  if (result?.status === undefined || typeof result.status === "number") throw new Error(`No result in: ${text.slice(0, 500)}`);
  return result;
}
