import type { CallResult } from "@toolwright/engine";
import { expect, it } from "vitest";
import { CallConversation, type Exchange } from "./call-conversation.ts";

const request = (message: string) => ({
  method: "elicitation/create" as const,
  params: { mode: "form" as const, message, requestedSchema: { type: "object" as const, properties: {} } },
});
const accept = (content: object) => ({ action: "accept", content });
const cancelled = (reason: string): CallResult => ({
  callId: "c",
  tool: "t",
  durationMs: 0,
  repairs: [],
  anomalies: [],
  artifacts: [],
  status: "cancelled",
  reason,
});

function exchangeWith(inputResponses?: Record<string, unknown>, signal = new AbortController().signal): Exchange {
  return {
    ...{ capabilities: {}, inputResponses, signal, staysOpen: false, hearsProgress: false, can: () => true },
    ...{ onProgress() {}, onOutput() {}, onLog() {}, lastProgress: () => undefined, close() {} },
  };
}

it("asks in one round what is asked side by side", async () => {
  const conversation = new CallConversation(exchangeWith());
  const round = await conversation.start(async () => {
    await Promise.all([
      conversation.ask("a", request("A?"), conversation.signal),
      conversation.ask("b", request("B?"), conversation.signal),
    ]);
    return cancelled("asked");
  });
  expect(round).toMatchObject({ questions: { a: {}, b: {} } });
});

it("asks again for what the client left out or answered in another kind", async () => {
  const conversation = new CallConversation(exchangeWith());
  await conversation.start(async () => {
    const answers = await Promise.all([
      conversation.ask("a", request("A?"), conversation.signal),
      conversation.ask("b", request("B?"), conversation.signal),
    ]);
    return cancelled(JSON.stringify(answers));
  });
  const second = await conversation.resume(exchangeWith({ a: accept({ x: 1 }), b: { roots: [] } }));
  expect(second).toEqual({ questions: { b: request("B?") } });
  const third = await conversation.resume(exchangeWith({ b: accept({ x: 2 }) }));
  expect(third).toMatchObject({ result: { reason: JSON.stringify([accept({ x: 1 }), accept({ x: 2 })]) } });
});

it("uses an answer once: the same question asked again goes to the client again", async () => {
  const conversation = new CallConversation(exchangeWith({ a: accept({ x: 1 }) }));
  const round = await conversation.start(async () => {
    await conversation.ask("a", request("A?"), conversation.signal);
    await conversation.ask("a", request("A?"), conversation.signal);
    return cancelled("asked twice");
  });
  expect(round).toEqual({ questions: { a: request("A?") } });
});

it("refuses two open questions of one key", async () => {
  const conversation = new CallConversation(exchangeWith());
  const round = await conversation.start(async () => {
    const [, second] = await Promise.allSettled([
      Promise.race([conversation.ask("a", request("A?"), conversation.signal), Promise.resolve()]),
      conversation.ask("a", request("A?"), conversation.signal),
    ]);
    return cancelled(second.status);
  });
  expect(round).toMatchObject({ result: { reason: "rejected" } });
});

it("is ended by the client that goes away while its request is open, and not while the tool waits for an answer", async () => {
  const first = new AbortController();
  const conversation = new CallConversation(exchangeWith(undefined, first.signal));
  await conversation.start(async () => {
    await conversation.ask("a", request("A?"), conversation.signal);
    if (!conversation.signal.aborted) await new Promise((resolve) => conversation.signal.addEventListener("abort", resolve));
    return cancelled("gone");
  });
  first.abort();
  expect(conversation.signal.aborted).toBe(false);
  const second = new AbortController();
  const round = conversation.resume(exchangeWith({ a: accept({}) }, second.signal));
  second.abort();
  expect(await round).toMatchObject({ result: { reason: "gone" } });
});

it("lets go of a tool that waits when nobody will come any more", async () => {
  const conversation = new CallConversation(exchangeWith());
  const ended = Promise.withResolvers<string>();
  await conversation.start(async () => {
    await conversation.ask("a", request("A?"), conversation.signal).catch((error: Error) => ended.resolve(error.message));
    return cancelled("over");
  });
  conversation.end("The client did not answer in time.");
  expect(await ended.promise).toBe("The client did not answer in time.");
});

it("is ended by a client that cancels while it is asked, where its request stays open (2025 era)", async () => {
  const controller = new AbortController();
  const conversation = new CallConversation({ ...exchangeWith(undefined, controller.signal), staysOpen: true });
  await conversation.start(async () => {
    await conversation.ask("a", request("A?"), conversation.signal);
    return cancelled("over");
  });
  controller.abort();
  expect(conversation.signal.aborted).toBe(true);
});
