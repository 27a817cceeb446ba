import { defineTool } from "@toolwright/engine";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, call, outputOf, personAt, World } from "../agents/agents-world.ts";
import { injection, visibleInjection } from "./hostile-site.ts";

const letter = defineTool({
  name: "letter",
  description: "Reads a letter.",
  input: z.object({}),
  output: z.object({ text: z.string() }),
  foreign: { kind: "document", sources: () => [{ kind: "document", place: "letter.pdf" }] },
  toModel: ({ text }) => [{ type: "text", text }],
  run: () => ({ text: injection }),
});
const readsLetter = { name: "letter", input: {} };

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
};
afterEach(() => world.close());

const start = () => world.start({ tools: [letter], afterForeign: { note: "ask" } });
const run = { agent: "assistant", message: "Go." };

test("a turn that goes on in another process sends what it read of strangers in the same bytes", async () => {
  await open([readsLetter], [call("note", "a")], "Done.");
  const asked = await personAt(start()).invokeNamed("agent_run", run, { idempotencyKey: "k" });
  if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
  expect(world.did).toEqual([]);
  const other = start();
  const [waiting] = await other.scope({ ...ann, permissions: ["approvals:answer"] }).approvals();
  expect(waiting?.record.decision).toMatchObject({ rule: "after_foreign.note", foreign: { place: "letter.pdf" } });
  await other.scope({ ...ann, permissions: ["approvals:answer"] }).answer(waiting?.record.id ?? "", { kind: "approve" });
  expect(outputOf(await personAt(other).invokeNamed("agent_run", run, { idempotencyKey: "k" })).text).toBe("Done.");
  expect(world.did).toEqual(["note a"]);
  const [, before, after] = world.model.requests.map(({ messages }) => messages);
  expect(JSON.stringify(after?.slice(0, before?.length))).toBe(JSON.stringify(before));
  expect(world.toolMessages()[0]).toMatch(/^<<(foreign_\S+) .* letter\.pdf .*\n\1>>$/s);
  expect(world.toolMessages()[0]).toContain(visibleInjection);
  expect(before?.[0]?.content).toContain("<<foreign_");
});

test("what a sub-agent reads counts for its parent", async () => {
  await open(
    [{ name: "task_spawn", input: { task: "Read the letter." } }],
    [readsLetter],
    "It wants a note.",
    [call("note", "a")],
    "Done.",
  );
  expect(await personAt(start()).invokeNamed("agent_run", run)).toMatchObject({ status: "pending" });
  expect(world.did).toEqual([]);
});

test.each([true, false])("what an agent has read counts for the sub-agent that it begins, with wait %s", async (wait) => {
  const spawned = [{ name: "task_spawn", input: { task: "Make a note.", wait } }];
  const answers = [[readsLetter], spawned, "Done."].values();
  function* script(): Generator<ScriptedAnswer> {
    for (;;) {
      const { messages = [] } = world.model.requests.at(-1) ?? {};
      const isChild = messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes("Make a note."));
      const { value } = isChild ? { value: [call("note", "a")] } : answers.next();
      if (value === undefined) return;
      yield value;
    }
  }
  world = await World.open(script());
  const engine = start();
  const waits = new Promise<void>((resolve) => {
    const look = async () => {
      const found = await world.turns.list("acme", { states: ["waiting"] });
      if (found.some(({ parent }) => parent !== undefined)) resolve();
    };
    world.turns.follow("acme", () => void look());
  });
  await Promise.all([personAt(engine).invokeNamed("agent_run", run), waits]);
  const [waiting] = await engine.scope({ ...ann, permissions: ["approvals:answer"] }).approvals();
  expect(waiting?.record.decision).toMatchObject({ rule: "after_foreign.note", foreign: { place: "letter.pdf" } });
  const child = (await world.turns.list("acme", {})).find(({ parent }) => parent !== undefined);
  expect(await world.foreign.of("acme", [child?.conversation ?? ""])).toMatchObject([{ place: "letter.pdf" }]);
  expect(world.did).toEqual([]);
});

test("a message takes along what its sender had read, and an answer what its agent has", async () => {
  await open([call("note", "a")], [readsLetter], "It says hello.");
  const engine = start();
  await personAt(engine).invokeNamed("letter", {});
  expect(await personAt(engine).invokeNamed("agent_run", run)).toMatchObject({ status: "pending" });
  const reader = engine.scope(ann, { session: "another" });
  expect(await reader.invokeNamed("note", { text: "before" })).toMatchObject({ status: "done" });
  expect(await reader.invokeNamed("agent_run", run)).toMatchObject({ status: "done", foreign: { places: ["letter.pdf"] } });
  expect(await reader.invokeNamed("note", { text: "after" })).toMatchObject({ status: "pending" });
});

test("a webhook marks the conversation that it begins", async () => {
  await open([call("note", "a")]);
  const hook = { ...ann, actor: { kind: "service", id: "hook:desk" }, interactive: false } as const;
  const result = await start().scope(hook).invokeNamed("agent_run", run);
  expect(result).toMatchObject({
    status: "pending",
    decision: { foreign: { kind: "upstream", place: "webhook desk", tool: "agent_run" } },
  });
});
