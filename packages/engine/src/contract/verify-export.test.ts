import { describe, expect, it } from "vitest";
import { makeEvent } from "../testing/make-events.ts";
import { chainHash } from "./event-chain.ts";
import type { StoredEvent } from "./events.ts";
import type { Anchor } from "./log-anchor.ts";
import { verifyExport } from "./verify-export.ts";

function chain(session: string, count: number): StoredEvent[] {
  let previous = "";
  return Array.from({ length: count }, (_, index) => {
    const event = makeEvent({ session, callId: `${session}_${index}` });
    const hash = chainHash(event, index + 1, previous);
    const stored = { event, sequence: index + 1, previous, hash };
    previous = hash;
    return stored;
  });
}

const verify = (events: readonly StoredEvent[], options = {}) =>
  verifyExport(
    (async function* () {
      yield* events;
    })(),
    options,
  );
const kinds = async (events: readonly StoredEvent[], options = {}) =>
  (await verify(events, options)).flatMap(({ session, faults }) => faults.map(({ kind, sequence }) => `${session}#${sequence} ${kind}`));
const anchorOf = (...heads: StoredEvent[]): Anchor => ({
  version: 1,
  at: 0,
  digest: "",
  heads: heads.map(({ event, sequence, hash }) => ({ tenant: event.tenant, session: event.session, sequence, hash, removed: 0 })),
});

describe("an exported log", () => {
  const [one, two] = [chain("s1", 5), chain("s2", 3)];
  const last = (events: readonly StoredEvent[]) => events.at(-1) as StoredEvent;

  it("is whole as it was written, also where sessions alternate and where it begins later", async () => {
    expect(await verify([...one, ...two])).toMatchObject([
      { session: "s1", events: 5, from: 1, faults: [] },
      { session: "s2", events: 3, from: 1, faults: [] },
    ]);
    expect(await kinds(one.flatMap((event, index) => [event, ...two.slice(index, index + 1)]))).toEqual([]);
    expect(await verify(one.slice(2), { anchor: anchorOf(last(one)) })).toMatchObject([{ from: 3, faults: [] }]);
    expect(await verify([...one, ...two], { session: "s2" })).toMatchObject([{ session: "s2" }]);
  });

  it.each<[string, StoredEvent[], string[]]>([
    ["edited", one.map((each, n) => (n === 2 ? { ...each, event: { ...each.event, tool: "other" } } : each)), ["s1#3 edited"]],
    ["removed", one.filter((_, n) => n !== 2), ["s1#3 removed"]],
    ["written twice", [...one, last(one)], ["s1#5 unlinked"]],
    ["exchanged", [...one.slice(0, 1), one[2] as StoredEvent, one[1] as StoredEvent, ...one.slice(3)], ["s1#2 removed"]],
  ])("shows what was %s", async (_words, events, faults) => {
    expect(await kinds(events)).toEqual(expect.arrayContaining(faults));
  });

  it("shows by an anchor what was cut off, made up or left out", async () => {
    const anchor = anchorOf(last(one), last(two));
    expect(await kinds([...one, ...two], { anchor })).toEqual([]);
    expect(await kinds([...one.slice(0, 3), ...two], { anchor })).toEqual(["s1#4 truncated"]);
    expect(await kinds(one, { anchor })).toEqual(["s2#3 session_removed"]);
    const made = chain("s1", 5).map((each) => ({ ...each }));
    let previous = "";
    for (const each of made) {
      const event = { ...each.event, tool: "made_up" };
      const hash = chainHash(event, each.sequence, previous);
      Object.assign(each, { event, previous, hash });
      previous = hash;
    }
    expect(await kinds([...made, ...two], { anchor })).toEqual(["s1#5 rewritten"]);
  });
});
