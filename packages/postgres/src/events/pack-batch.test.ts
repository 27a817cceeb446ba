import type { CallEvent, StoredEvent } from "@toolwright/engine";
import { findBrokenLink } from "@toolwright/engine/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createChainHeads } from "./chain-heads.ts";
import { packBatch } from "./pack-batch.ts";

const text = fc.constantFrom("a", "b", "a\nb", "", '"', ",");
const anyEvents: fc.Arbitrary<readonly CallEvent[]> = fc.array(
  fc.record(
    {
      type: fc.constantFrom("tool.started", "tool.completed"),
      at: fc.integer({ min: 0, max: 1e12 }),
      session: fc.constantFrom("s1", "s2", "s3"),
      tenant: fc.constant("acme"),
      actor: fc.record({ kind: fc.constantFrom("user", "agent"), id: text }),
      agent: text,
      door: fc.constantFrom("cli", "rest"),
      source: fc.constantFrom("api", "web"),
      callId: text,
      tool: text,
      data: fc.record({ input: fc.json() }),
    },
    { requiredKeys: ["type", "at", "session", "tenant", "actor", "door", "callId", "tool", "data"] },
  ),
  { minLength: 1, maxLength: 20 },
);

/** As the database puts an event together again. */
function unpack(events: readonly CallEvent[], { sessions, links, facts, ats, calls, datas }: ReturnType<typeof packBatch>): StoredEvent[] {
  return events.map((_, index) => {
    const { place = 0, rank = 0, before = 0, hash = "" } = links[index] ?? {};
    const { name = "", head } = sessions[place - 1] ?? {};
    const { type, tool, actor, agent, door, source } = facts.sets[(facts.ofEvents[index] ?? 0) - 1] as CallEvent;
    const event: CallEvent = {
      type,
      at: ats[index] ?? 0,
      session: name,
      tenant: "acme",
      actor,
      ...(agent !== undefined && { agent }),
      door,
      ...(source !== undefined && { source }),
      callId: calls[index] ?? "",
      tool,
      data: JSON.parse(datas[index] ?? ""),
    };
    const previous = before === 0 ? (head?.hash ?? "") : (links[before - 1]?.hash ?? "");
    return { event, sequence: (head?.sequence ?? 0) + rank, previous, hash };
  });
}

describe("a packed batch", () => {
  it("gives back every event, in chains that go on from where the batch before ended", () => {
    fc.assert(
      fc.property(fc.array(anyEvents, { minLength: 1, maxLength: 3 }), (batches) => {
        const heads = createChainHeads();
        const stored: StoredEvent[] = [];
        for (const events of batches) {
          const packed = packBatch(events, heads, 0);
          const unpacked = unpack(events, packed);
          expect(unpacked.map(({ event }) => event)).toEqual(events);
          for (const { name, ending, first, last, end } of packed.sessions) {
            const own = unpacked.filter(({ event }) => event.session === name);
            expect({ ...ending, end }).toEqual({
              sequence: own.at(-1)?.sequence,
              hash: own.at(-1)?.hash,
              end: unpacked.lastIndexOf(own.at(-1) as never) + 1,
            });
            const times = own.map(({ event }) => event.at);
            expect([first, last]).toEqual([Math.min(...times), Math.max(...times)]);
            heads.keep("acme", name, ending);
          }
          stored.push(...unpacked);
        }
        for (const chain of Map.groupBy(stored, ({ event }) => event.session).values()) {
          expect(chain.map(({ sequence }) => sequence)).toEqual(chain.map((_, index) => index + 1));
          expect(chain[0]?.previous).toBe("");
          expect(findBrokenLink(chain)).toBeUndefined();
        }
      }),
    );
  });

  it("names once what its events have in common", () => {
    const event = { type: "tool.started", at: 1, session: "s1", tenant: "acme", actor: { kind: "user", id: "ann" }, door: "cli" } as const;
    const events: readonly CallEvent[] = ["c1", "c2", "c3"].map((callId) => ({ ...event, callId, tool: "add", data: {} }));
    const { facts } = packBatch([...events, { ...events[0], tool: "remove" } as CallEvent], createChainHeads(), 0);
    expect(facts.ofEvents).toEqual([1, 1, 1, 2]);
    expect(facts.sets.map(({ tool }) => tool)).toEqual(["add", "remove"]);
  });
});

describe("heads of chains", () => {
  it("keep those that were written to last, of each tenant its own", () => {
    const heads = createChainHeads();
    heads.keep("acme", "first", { sequence: 1, hash: "h" });
    for (let index = 0; index < 4_999; index += 1) heads.keep("acme", `s${index}`, { sequence: index, hash: "h" });
    heads.keep("acme", "first", { sequence: 2, hash: "h" });
    heads.keep("acme", "one more", { sequence: 9, hash: "h" });
    expect(heads.find("acme", "first").sequence).toBe(2);
    expect(heads.find("acme", "s0")).toEqual({ sequence: 0, hash: "" });
    expect(heads.find("acme", "s1").sequence).toBe(1);
    expect(heads.find("other", "first")).toEqual({ sequence: 0, hash: "" });
  });
});
