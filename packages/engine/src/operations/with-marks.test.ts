import { expect, it } from "vitest";
import type { Principal } from "../contract/principal.ts";
import { createMemoryForeignMarks } from "../memory/foreign-marks.ts";
import { withMarks } from "./with-marks.ts";

const ann: Principal = { tenant: "t", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" };
const mark = { kind: "web", place: "https://a.example/", callId: "call_1", tool: "web_fetch", at: 1 } as const;

it("takes along what the session has read, and what its principal brought, and nothing where neither read anything", async () => {
  const foreign = createMemoryForeignMarks();
  await foreign.add({ tenant: "t", id: "s1" }, [mark]);
  const of = async (session: string, principal = ann) =>
    (await withMarks({ principal, scope: { session }, parts: { foreign } })).foreignFrom;
  expect(await of("s1")).toEqual(["s1"]);
  expect(await of("s2")).toBeUndefined();
  expect(await of("s2", { ...ann, foreignFrom: ["s1"] })).toEqual(["s2", "s1"]);
});

it("leaves it to the run where the marks cannot be read", async () => {
  const foreign = { ...createMemoryForeignMarks(), of: () => Promise.reject(new Error("away")) };
  expect((await withMarks({ principal: ann, scope: { session: "s1" }, parts: { foreign } })).foreignFrom).toEqual(["s1"]);
});
