import type { Principal } from "@toolwright/engine";
import { createManualClock } from "@toolwright/engine/testing";
import { describe, expect, test } from "vitest";
import { fillTurns } from "../../test/fill-turns.ts";
import { ann, openRest } from "../../test/rest-client.ts";
import { RequestTurns } from "./request-turns.ts";

const personOf = (tenant: string): Principal => ({ tenant, actor: { kind: "user", id: "ann" }, permissions: [] }) as unknown as Principal;
const requestOf = (bytes: number, init: RequestInit = {}) =>
  new Request("http://127.0.0.1/", { method: "POST", body: "{}", headers: { "content-length": `${bytes}` }, ...init });
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function open() {
  const clock = createManualClock();
  const use = { idle: 0, active: 0 };
  const turns = new RequestTurns({ clock, readUse: () => use });
  const begun: string[] = [];
  /** Sends requests that end when `end` is called. */
  const send = (tenant: string, count: number, bytes = 100) =>
    Array.from({ length: count }, (_, at) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const name = `${tenant}${at}`;
      const answered = turns.answer(personOf(tenant), requestOf(bytes), () => {
        begun.push(name);
        return promise;
      });
      return { answered, end: () => resolve(name) };
    });
  return { clock, begun, send, turns, use };
}

/** Where another tenant has just been there. */
async function openBesideAnother() {
  const opened = open();
  const [other] = opened.send("other", 1);
  other?.end();
  await other?.answered;
  opened.begun.splice(0);
  return opened;
}

describe("turns of requests", () => {
  test("a person who sends many at once is worked on for a few, and another tenant begins at once", async () => {
    const { begun, send } = await openBesideAnother();
    send("a", 100);
    await settled();
    const [other] = send("b", 1);
    await settled();
    expect(begun).toEqual(["a0", "a1", "b0"]);
    other?.end();
    expect(await other?.answered).toBe("b0");
  });

  test("of large bodies a tenant has one at a time, and small ones go on", async () => {
    const { begun, send } = await openBesideAnother();
    const [first] = send("a", 3, 100_000);
    await settled();
    expect(begun).toEqual(["a0"]);
    send("b", 2, 100_000);
    await settled();
    send("a", 1);
    await settled();
    expect(begun).toEqual(["a0", "b0", "a0"]);
    first?.end();
    await first?.answered;
    await settled();
    expect(begun).toEqual(["a0", "b0", "a0", "a1"]);
  });

  test("after a heavy request the thread is left to others who are there, eight times as long as it took", async () => {
    const { begun, send, clock, use } = await openBesideAnother();
    const [first] = send("a", 2, 100_000);
    await settled();
    use.active += 60;
    first?.end();
    await first?.answered;
    await clock.advance(479);
    expect(begun).toEqual(["a0"]);
    await clock.advance(1);
    expect(begun).toEqual(["a0", "a1"]);
  });

  test("who is alone is not held up, from a second after the last request of another", async () => {
    const { begun, send, clock, use } = await openBesideAnother();
    await clock.advance(1_001);
    const [first] = send("a", 100, 100_000);
    await settled();
    expect(begun).toHaveLength(100);
    use.active += 6_000;
    first?.end();
    await first?.answered;
    send("a", 1, 100_000);
    await settled();
    expect(begun).toHaveLength(101);
  });

  test("somebody whose request waited for something has been there", async () => {
    const { begun, send, clock, use } = open();
    const [waiting] = send("b", 1);
    await settled();
    use.idle += 1_000;
    await clock.advance(5_000);
    waiting?.end();
    await waiting?.answered;
    send("a", 12);
    await settled();
    expect(begun).toHaveLength(3);
  });

  test("a person whose small requests were heavy has one at a time", async () => {
    const { begun, send, use } = await openBesideAnother();
    const [first] = send("a", 1);
    await settled();
    use.active += 60;
    first?.end();
    await first?.answered;
    send("a", 3);
    await settled();
    expect(begun).toEqual(["a0", "a0"]);
  });

  test("the time of the thread is shared by those that were worked on together", async () => {
    const { begun, send, use } = await openBesideAnother();
    const two = send("a", 2);
    await settled();
    use.active += 48;
    for (const { end, answered } of two) {
      end();
      await answered;
    }
    send("a", 2);
    await settled();
    expect(begun).toHaveLength(4);
  });

  test("all are answered, in their order", async () => {
    const { begun, send } = await openBesideAnother();
    const requests = send("a", 20);
    for (const { answered, end } of requests) {
      end();
      await answered;
    }
    expect(begun).toEqual(Array.from({ length: 20 }, (_, at) => `a${at}`));
  });

  test.for([
    ["whose thread has nothing to do", 50, 100],
    ["that take longer than any", 0, 2_025],
  ] as const)("requests %s give their places to others", async ([_name, idleMs, ms], { expect }) => {
    const { begun, send, clock, use } = await openBesideAnother();
    send("a", 12);
    await settled();
    use.idle += idleMs;
    await clock.advance(ms);
    await settled();
    expect(begun).toHaveLength(4);
  });

  test("who gave its place back while its body came takes one again, before others of its person, and counts from there", async () => {
    const { begun, turns, clock, use, send } = await openBesideAnother();
    const [request, body, end] = [requestOf(100_000), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const answered = turns.answer(personOf("a"), request, async () => {
      await body.promise;
      await turns.arrived(request);
      begun.push("arrived");
      await end.promise;
    });
    await settled();
    use.idle += 50;
    await clock.advance(100);
    const [second] = send("a", 2, 100_000);
    await settled();
    expect(begun).toEqual(["a0"]);
    body.resolve();
    await settled();
    expect(begun).toEqual(["a0"]);
    second?.end();
    await second?.answered;
    await settled();
    expect(begun).toEqual(["a0", "arrived"]);
    use.active += 60;
    end.resolve();
    await answered;
    await clock.advance(479);
    expect(begun).toEqual(["a0", "arrived"]);
    await clock.advance(1);
    expect(begun).toEqual(["a0", "arrived", "a1"]);
  });

  test("time in which a body came does not give the place away once it is worked on", async () => {
    const { begun, turns, clock, use, send } = await openBesideAnother();
    const request = requestOf(100_000);
    void turns.answer(personOf("a"), request, async () => {
      use.idle += 49;
      await turns.arrived(request);
      use.idle += 49;
      await new Promise(() => {});
    });
    send("a", 1, 100_000);
    await settled();
    await clock.advance(1_000);
    expect(begun).toEqual([]);
  });

  test("requests that keep the thread busy keep their places", async () => {
    const { begun, send, clock, use } = await openBesideAnother();
    send("a", 12);
    await settled();
    use.idle += 49;
    await clock.advance(1_000);
    await settled();
    expect(begun).toHaveLength(2);
  });

  test("more than a thousand that wait are refused with the time to come again", async () => {
    const { send } = await openBesideAnother();
    const requests = send("a", 1_003);
    await expect(requests.at(-1)?.answered).rejects.toMatchObject({ code: "busy", details: { retryAfterMs: expect.any(Number) } });
  });

  test("a client that leaves before its turn is not worked on", async () => {
    const { begun, send, turns } = await openBesideAnother();
    const requests = send("a", 2);
    await settled();
    const gone = new AbortController();
    const waiting = turns.answer(personOf("a"), requestOf(100, { signal: gone.signal }), async () => begun.push("gone"));
    gone.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    for (const { end } of requests) end();
    await settled();
    expect(begun).not.toContain("gone");
  });
});

test("over REST a call is refused while a thousand requests of its person wait, and says when to try again", async () => {
  await fillTurns(ann);
  const response = await openRest().call("add", { a: 1, b: 2 }, { as: "ann" });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ code: "busy", detail: expect.stringMatching(/requests waiting\. Try again in \d+ s/) });
});
