import type { CallResult, Json, JsonObject } from "@toolwright/engine";
import { openAccess } from "../mcp/index.ts";
import { createRestDoor } from "../rest/index.ts";
import { answerOf, type DoorAdapter, type DoorClient, type DoorWorld, type OfferedTool } from "./door-adapter.ts";

const origin = "http://localhost";

/** REST, with answers at once and as streams, over real requests. */
export const restDoors: readonly DoorAdapter[] = [
  { name: "rest", open: async (world) => clientOf(world, "application/json") },
  { name: "rest, stream", open: async (world) => clientOf(world, "text/event-stream") },
];

function clientOf({ engine, principal, session }: DoorWorld, accept: string): DoorClient {
  const door = createRestDoor({ engine, authentication: openAccess(principal) });
  const heard: string[] = [];
  const send = async (path: string, body?: Json) => {
    const headers = {
      accept,
      host: "localhost",
      "toolwright-session": session,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const text = await (await door.fetch(new Request(`${origin}/api${path}`, init))).text();
    heard.push(text);
    return text;
  };
  return {
    list: async () => (JSON.parse(await send("/tools")) as { readonly items: readonly OfferedTool[] }).items,
    call: async (name, input) => answerOf(readResult(await send(`/tools/${name}/call`, input))),
    resume: async (approvalId) => answerOf(readResult(await send(`/approvals/${approvalId}/run`, {}))),
    heard: () => heard.splice(0).join("\n"),
    close: () => door.close(),
  };
}

/** Of a body that is the result, a problem that holds it, or a stream that ends with it. */
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
