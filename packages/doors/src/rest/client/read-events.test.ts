import { expect, it } from "vitest";
import { readEvents, type ServerEvent } from "./read-events.ts";

const read = async (chunks: readonly string[]) => {
  const bytes = chunks.map((chunk) => new Uint8Array(Buffer.from(chunk, "latin1")));
  const events: ServerEvent[] = [];
  for await (const event of readEvents(ReadableStream.from(bytes))) events.push(event);
  return events;
};

it.each([
  {
    name: "events, with their names and ids",
    chunks: ["id: 1\nevent: a\ndata: {}\n\ndata: x\n\n"],
    events: [
      ["a", "1", "{}"],
      ["message", undefined, "x"],
    ],
  },
  {
    name: "events that come in pieces",
    chunks: ["da", "ta: x", "\n", "\nda", "ta: y\n\n"],
    events: [
      ["message", undefined, "x"],
      ["message", undefined, "y"],
    ],
  },
  { name: "a letter that comes in pieces", chunks: ["data: \xc3", "\xa9\n\n"], events: [["message", undefined, "é"]] },
  {
    name: "line breaks of other systems",
    chunks: ["event: a\r\ndata: x\r\n\r\ndata: y\r\r"],
    events: [
      ["a", undefined, "x"],
      ["message", undefined, "y"],
    ],
  },
  { name: "data of several lines, and without a space", chunks: ["data:a\ndata: b: c\n\n"], events: [["message", undefined, "a\nb: c"]] },
  { name: "no comments, and nothing that was cut off", chunks: [": alive\n\ndata: x\n\ndata: y\n"], events: [["message", undefined, "x"]] },
])("reads $name", async ({ chunks, events }) => {
  expect((await read(chunks)).map(({ event, id, data }) => [event, id, data])).toEqual(events);
});

it("closes the body when nobody reads on", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.from("data: x\n\n")),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const { data } of readEvents(body)) if (data === "x") break;
  expect(cancelled).toBe(true);
});
