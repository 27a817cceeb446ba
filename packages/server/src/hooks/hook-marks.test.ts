import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryForeignMarks } from "@toolwright/engine/ports";
import { foreignMarksConformance } from "@toolwright/engine/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHookMarks, takeInHookMarks } from "./hook-marks.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-marks-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = async () => {
  const state = mkdtempSync(join(root, "state-"));
  return { marks: createHookMarks(state), reopen: async () => createHookMarks(state), state };
};
for (const { name, run } of foreignMarksConformance(open)) it(name, run);

it("skips a line that was cut, and brings the others into a store", async () => {
  const { marks, state } = await open();
  const session = { tenant: "default", id: "claude-code-s" };
  const mark = { kind: "web", place: "https://a.example/", callId: "c1", tool: "web_fetch", at: 1 } as const;
  await marks.add(session, [mark]);
  const [file = ""] = readdirSync(join(state, "marks"));
  appendFileSync(join(state, "marks", file), '{"session":{"ten');
  await marks.add(session, [{ ...mark, place: "https://b.example/", at: 2 }]);
  expect((await marks.of("default", ["claude-code-s"])).map(({ at }) => at)).toEqual([1, 2]);
  const store = createMemoryForeignMarks();
  await takeInHookMarks(state, { name: "embedded", foreign: store });
  expect(await store.of("default", ["claude-code-s"])).toEqual(await marks.of("default", ["claude-code-s"]));
});

it("brings each line into the store once, however often that is opened", async () => {
  const { marks, state } = await open();
  const added: string[] = [];
  const foreign = { add: async ({ id }: { readonly id: string }) => void added.push(id) };
  const mark = { kind: "web", callId: "c1", tool: "web_fetch", at: 1 } as const;
  await marks.add({ tenant: "default", id: "one" }, [mark]);
  await marks.add({ tenant: "default", id: "two" }, [mark]);
  for (let opened = 0; opened < 3; opened += 1) await takeInHookMarks(state, { name: "embedded", foreign });
  expect(added.toSorted()).toEqual(["one", "two"]);
  await marks.add({ tenant: "default", id: "two" }, [{ ...mark, place: "https://a.example/", at: 2 }]);
  await takeInHookMarks(state, { name: "embedded", foreign });
  expect(added.slice(2)).toEqual(["two", "two"]);
  await takeInHookMarks(state, { name: "a server", foreign });
  expect(added.slice(4).toSorted()).toEqual(["one", "two", "two"]);
});
