import assert from "node:assert/strict";
import type { ForeignMark } from "../contract/foreign.ts";
import { type ForeignMarks, mostForeignMarks } from "../ports/foreign-marks.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenForeignMarks {
  readonly marks: ForeignMarks;
  /** Those of another process on the same place. */
  readonly reopen: () => Promise<ForeignMarks>;
}

const acme = { tenant: "acme", id: "s1" };
const page: ForeignMark = { kind: "web", place: "https://example.com/ü\u0000\ud800", callId: "call_1", tool: "web_fetch", at: 1_000_000 };
const numbered = (n: number): ForeignMark => ({ ...page, place: `https://example.com/${n}`, callId: `call_${n}`, at: page.at + n });

/** What every store of marks must do, for the tenants `acme` and `other`. */
export function foreignMarksConformance(open: () => Promise<OpenForeignMarks>): readonly ConformanceCase[] {
  const withMarks = (name: string, check: (opened: OpenForeignMarks) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => check(await open()),
  });
  return [
    withMarks("has in every process what was added, and of no other session", async ({ marks, reopen }) => {
      assert.deepEqual(await marks.of("acme", ["s1"]), []);
      await marks.add(acme, [page]);
      assert.deepEqual(await (await reopen()).of("acme", ["s1"]), [page]);
      assert.deepEqual(await marks.of("acme", ["s2"]), []);
      assert.deepEqual(await marks.of("acme", []), []);
    }),
    withMarks("shows no tenant the marks of another (R-TN-3)", async ({ marks }) => {
      await marks.add(acme, [page]);
      assert.deepEqual(await marks.of("other", ["s1"]), []);
    }),
    withMarks("gives the marks of several sessions, oldest first, each once", async ({ marks }) => {
      await marks.add({ ...acme, id: "s2" }, [numbered(2)]);
      await marks.add(acme, [numbered(1), numbered(3)]);
      assert.deepEqual(await marks.of("acme", ["s1", "s2", "s1"]), [numbered(1), numbered(2), numbered(3)]);
    }),
    withMarks("keeps a place once, with the call that read it first", async ({ marks }) => {
      const { place: _, ...nowhere } = page;
      await marks.add(acme, [page, { ...page, callId: "call_2", at: page.at + 1 }]);
      await marks.add(acme, [{ ...page, callId: "call_3", at: page.at + 2 }, nowhere, { ...page, kind: "browser" }]);
      const kept = await marks.of("acme", ["s1"]);
      assert.deepEqual(
        new Set(kept.map(({ kind, place }) => `${kind} ${place}`)),
        new Set([`web ${page.place}`, "web undefined", `browser ${page.place}`]),
      );
      assert.ok(kept.every(({ callId }) => callId === "call_1"));
    }),
    withMarks(`keeps the first ${mostForeignMarks} of a session, whoever adds them`, async ({ marks, reopen }) => {
      await marks.add(
        acme,
        Array.from({ length: mostForeignMarks - 1 }, (_, n) => numbered(n)),
      );
      await (await reopen()).add(acme, [numbered(100), numbered(101)]);
      await marks.add(acme, [numbered(102)]);
      const kept = await marks.of("acme", ["s1"]);
      assert.equal(kept.length, mostForeignMarks);
      assert.equal(kept.at(-1)?.callId, "call_100");
    }),
  ];
}
