import type { CallResult } from "@toolwright/engine";
import { type CallEvent, createClient, RequestError } from "../rest/client/index.ts";
import { answerOf, type DoorAdapter, type DoorClient, type DoorWorld, type OfferedTool } from "./door-adapter.ts";
import type { ServedRest } from "./rest-doors.ts";

/** The web form: the client that the pages of the console use, with the headers that a browser gives their requests. */
export function formDoor(serve: (world: DoorWorld) => Promise<ServedRest>): DoorAdapter {
  return { name: "form", open: async (world) => clientOf(await serve(world), world) };
}

function clientOf({ origin, fetch: send, close }: ServedRest, { session }: DoorWorld): DoorClient {
  const heard: string[] = [];
  const client = createClient({
    url: origin,
    async fetch(url, init) {
      const request = new Request(url, init);
      const browsers = { host: new URL(origin).host, origin, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
      for (const [name, value] of Object.entries(browsers)) request.headers.set(name, value);
      const response = await send(request);
      const text = await response.text();
      heard.push(text);
      return new Response(text, response);
    },
  });
  return {
    list: async () => (await client.operate("tools.list", {})).items as readonly OfferedTool[],
    call: async (name, input) => answerOf(await endingOf(lastOf(client.stream(name, input, { session })))),
    resume: async (id) => answerOf(await endingOf(client.resume(id, { session }))),
    heard: () => heard.splice(0).join("\n"),
    close,
  };
}

async function lastOf(events: AsyncIterable<CallEvent>): Promise<CallResult> {
  let result: CallResult | undefined;
  for await (const { event, data } of events) if (event === "result") result = data;
  if (!result) throw new Error("The stream of a call ended without its result.");
  return result;
}

/** What a page shows of a refusal is the result that comes with it. */
async function endingOf(asked: Promise<CallResult>): Promise<CallResult> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestError && error.result) return error.result;
    throw error;
  }
}
