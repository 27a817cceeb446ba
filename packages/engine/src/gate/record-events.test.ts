import { describe, expect, it, vi } from "vitest";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { defaultPolicy } from "../policy/policy-document.ts";
import { filesDouble, invoke, probe } from "../testing/probe-tool.ts";

describe("recording", () => {
  it("tells who, what, the rule and the outcome, in order", async () => {
    const events = createMemoryEventLog();
    await invoke(
      probe(() => ({ text: "hi" })),
      { engine: { events }, input: { a: 1 } },
    );
    const stored = await events.read({ tenant: "acme", session: "s1" });
    expect(stored.map(({ event }) => event.type)).toEqual(["tool.started", "tool.completed"]);
    expect(stored[0]?.event).toMatchObject({ actor: { id: "ann" }, tool: "probe", data: { effect: "allow", input: { a: 1 } } });
    expect(stored[1]?.event.data.output).toEqual({ text: "hi" });
  });

  it("keeps the input also of what was denied or waits, so that the decision can be looked at again", async () => {
    const events = createMemoryEventLog();
    const document = { ...defaultPolicy, tools: { deny: ["probe"] } };
    await invoke(
      probe(() => ({ text: "" })),
      { engine: { events, policy: [{ tier: "platform", document }] }, input: { a: 1 } },
    );
    await invoke(
      probe(() => ({ text: "" }), { approval: "always_ask" }),
      { engine: { events }, input: { a: 2 } },
    );
    const stored = await events.read({ tenant: "acme", session: "s1" });
    expect(stored.map(({ event }) => [event.type, event.data.input])).toEqual([
      ["tool.denied", { a: 1 }],
      ["tool.needs_approval", { a: 2 }],
    ]);
  });

  it("does not run what changes something when the log cannot be written (R-AU-1)", async () => {
    const run = vi.fn(() => ({ text: "" }));
    const events = { append: () => Promise.reject(new Error("disk full")), read: async () => [] };
    const result = await invoke(probe(run, { effects: { files: "write" } }), { engine: { events, capabilities: [filesDouble] } });
    expect(result).toMatchObject({ status: "failed", error: { code: "record_failed" } });
    expect(run).not.toHaveBeenCalled();
  });

  it("is not changed by what a tool does to its input afterwards", async () => {
    const events = createMemoryEventLog();
    await invoke(
      probe((input: { a: number }) => {
        input.a = 99;
        return { text: "" };
      }),
      { engine: { events }, input: { a: 1 } },
    );
    expect((await events.read({ tenant: "acme", session: "s1" }))[0]?.event.data.input).toEqual({ a: 1 });
  });
});
