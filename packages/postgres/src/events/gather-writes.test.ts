import { createManualClock } from "@toolwright/engine/testing";
import { describe, expect, it } from "vitest";
import { gatherWrites } from "./gather-writes.ts";

/** Writes are held back until they are let go, so that what gathers meanwhile can be seen. */
function openGate(
  options: {
    fails?: (items: readonly string[]) => boolean;
    isForAll?: boolean;
    culprits?: readonly string[];
    most?: number;
    room?: number;
    enough?: number;
  } = {},
) {
  const clock = createManualClock();
  const written: [string, readonly string[]][] = [];
  const held: (() => void)[] = [];
  const writes = gatherWrites<string>({
    most: options.most ?? 100,
    room: options.room ?? 100,
    refuse: () => new Error("no room"),
    linger: { ms: 25, enough: options.enough ?? 100 },
    clock,
    isForAll: () => options.isForAll === true,
    culpritsOf: () => options.culprits && new Set(options.culprits),
    async write(key, items) {
      await new Promise<void>((resolve) => held.push(resolve));
      if (options.fails?.(items)) throw new Error(`refused ${items.join()}`);
      written.push([key, items]);
    },
  });
  const letGo = async () => {
    for (let quiet = 0; quiet < 5; quiet += 1) {
      const release = held.shift();
      if (release) quiet = 0;
      release?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { writes, written, letGo, clock };
}

const mayWait = { mayWait: true };

describe("gathered writes", () => {
  it("writes what comes in one turn, and what comes during a write, together and in order", async () => {
    const { writes, written, letGo } = openGate();
    const all = [writes.add("k", ["a"])];
    await new Promise((resolve) => setImmediate(resolve));
    all.push(writes.add("k", ["b"]), writes.add("k", ["c"]));
    await letGo();
    await Promise.all(all);
    expect(written).toEqual([
      ["k", ["a"]],
      ["k", ["b", "c"]],
    ]);
  });

  it("keeps keys apart", async () => {
    const { writes, written, letGo } = openGate();
    const all = [writes.add("k", ["a"]), writes.add("l", ["b"])];
    await letGo();
    await Promise.all(all);
    expect(written).toEqual([
      ["k", ["a"]],
      ["l", ["b"]],
    ]);
  });

  it("writes no more at once than it may, and never splits what one caller gave", async () => {
    const { writes, written, letGo } = openGate({ most: 2 });
    const all = [["a"], ["b"], ["c", "d", "e"], ["f"]].map((items) => writes.add("k", items));
    await letGo();
    await Promise.all(all);
    expect(written.map(([, items]) => items)).toEqual([["a", "b"], ["c", "d", "e"], ["f"]]);
  });

  it("fails only the caller whose item cannot be written", async () => {
    const { writes, written, letGo } = openGate({ fails: (items) => items.includes("bad") });
    const all = [writes.add("k", ["a"]), writes.add("k", ["bad"]), writes.add("k", ["c"])];
    const settled = Promise.allSettled(all);
    await letGo();
    expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(written.flatMap(([, items]) => items)).toEqual(["a", "c"]);
  });

  it("writes the others together once more when the failure names whose it is", async () => {
    const { writes, written, letGo } = openGate({ fails: (items) => items.includes("bad"), culprits: ["bad"] });
    const settled = Promise.allSettled([["a"], ["b", "bad"], ["c"]].map((items) => writes.add("k", items)));
    await letGo();
    expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(written).toEqual([["k", ["a", "c"]]]);
  });

  it("fails all at once, and tries none alone, when the failure has nothing to do with them", async () => {
    const { writes, written, letGo } = openGate({ fails: (items) => items.includes("bad"), isForAll: true });
    const settled = Promise.allSettled(["a", "bad", "c"].map((item) => writes.add("k", [item])));
    await letGo();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(written).toEqual([]);
  });

  it("refuses at once what there is no room for, and takes more when some was written", async () => {
    const { writes, letGo } = openGate({ room: 2 });
    const first = writes.add("k", ["a", "b"]);
    await expect(writes.add("k", ["c"])).rejects.toThrow("no room");
    await letGo();
    await first;
    const again = writes.add("k", ["c"]);
    await letGo();
    await again;
  });

  it("settles when all that was added is written or refused", async () => {
    const { writes, written, letGo } = openGate({ fails: (items) => items.includes("bad") });
    const refused = writes.add("k", ["bad"]).catch(() => "refused");
    void writes.add("l", ["a"]);
    const settled = writes.settle().then(() => written.length);
    await letGo();
    expect(await settled).toBe(1);
    expect(await refused).toBe("refused");
  });

  it("keeps what may wait for more to come, and no longer than it was told", async () => {
    const { writes, written, letGo, clock } = openGate();
    const all = [writes.add("k", ["a"], mayWait)];
    await clock.advance(10);
    all.push(writes.add("k", ["b"], mayWait));
    await clock.advance(14);
    await letGo();
    expect(written).toEqual([]);
    await clock.advance(1);
    await letGo();
    await Promise.all(all);
    expect(written).toEqual([["k", ["a", "b"]]]);
  });

  it("writes what waits before and with what somebody waits for, at once", async () => {
    const { writes, written, letGo } = openGate();
    const all = [writes.add("k", ["a"], mayWait), writes.add("k", ["b"]), writes.add("k", ["c"], mayWait)];
    await letGo();
    await Promise.all(all);
    const late = [writes.add("k", ["d"], mayWait)];
    await letGo();
    expect(written).toEqual([["k", ["a", "b", "c"]]]);
    late.push(writes.add("k", ["e"]));
    await letGo();
    await Promise.all(late);
    expect(written.at(-1)).toEqual(["k", ["d", "e"]]);
  });

  it.each<[string, (gate: ReturnType<typeof openGate>) => Promise<unknown>]>([
    ["enough of it is there", ({ writes }) => Promise.resolve(writes.add("k", ["b"], mayWait))],
    ["the process ends", ({ writes }) => Promise.resolve(writes.settle())],
  ])("keeps it no longer where %s", async (_, hurry) => {
    const gate = openGate({ enough: 2 });
    const first = gate.writes.add("k", ["a"], mayWait);
    await gate.letGo();
    expect(gate.written).toEqual([]);
    const hurried = hurry(gate);
    await gate.letGo();
    await Promise.all([first, hurried]);
    expect(gate.written).toHaveLength(1);
  });
});
