import { describe, expect, it } from "vitest";
import { type StoredEvent, stagesOf } from "./call-stages.ts";

const stored = (type: string, at: number, data: Record<string, unknown> = {}): Omit<StoredEvent, "sequence"> => ({
  event: { type, at, session: "s1", data } as unknown as StoredEvent["event"],
});

const story = (...events: Omit<StoredEvent, "sequence">[]) => events.map((event, index) => ({ ...event, sequence: index + 1 }));
const allowed = { effect: "allow", rule: "tools.default" };
const asks = { effect: "ask", rule: "tools.ask[0]", reason: "It changes something." };
const brief = (stages: ReturnType<typeof stagesOf>) => stages.map(({ name, words }) => (words ? `${name}: ${words}` : name));

describe("the stages of a call", () => {
  it("are nine for one that ended well, and those without an event have no time", () => {
    const stages = stagesOf(story(stored("tool.started", 1_000, allowed), stored("tool.completed", 1_200, { output: 1 })));
    expect(brief(stages)).toEqual([
      ...["Found", "Admitted", "Parsed", "Decided: runs · tools.default", "Approved: nobody was asked", "Limited"],
      ...["Ran: 200 ms", "Projected", "Recorded: #1 to #2 of s1"],
    ]);
    expect(stages.flatMap(({ name, at }) => (at === undefined ? [] : [`${name} ${at}`]))).toEqual([
      "Decided 1000",
      "Ran 1000",
      "Recorded 1200",
    ]);
    expect(stages.some(({ hasNews }) => hasNews)).toBe(false);
  });

  it("say what was repaired, hidden and cut, and what the run had", () => {
    const posture = { runtime: "bwrap", isolation: "namespaces", network: "none", gaps: ["No limit of memory."] };
    const ending = { repairs: [{ path: "/n", what: '"60" became 60' }], posture, output: "[redacted] [redacted]", truncations: 1 };
    const stages = stagesOf(story(stored("tool.started", 0, allowed), stored("tool.completed", 8_100, ending)));
    expect(brief(stages)).toEqual(
      expect.arrayContaining([
        "Parsed: 1 repair",
        "Ran: 8.1 s · bwrap · no network",
        "Projected: 2 secrets hidden · output cut in 1 place",
      ]),
    );
    expect(stages.flatMap(({ lines }) => lines)).toEqual(['/n: "60" became 60', "Isolation: namespaces.", "No limit of memory."]);
  });

  it("say who approved and after how long, as the approval has it", () => {
    const events = story(
      stored("tool.needs_approval", 0, asks),
      stored("tool.approved", 50_000, { by: { kind: "user", id: "ann" }, edited: true }),
      stored("tool.started", 50_001, { effect: "allow", rule: "approval.edit" }),
    );
    expect(brief(stagesOf(events))).toContain("Approved: approved · ann · after 50.0 s");
    const answer = { outcome: { kind: "edit", input: {} }, by: { kind: "user", id: "ann" }, at: 41_000 } as const;
    const stages = stagesOf(events, { answer });
    expect(brief(stages).slice(3)).toEqual([
      ...["Decided: asks · tools.ask[0]", "Approved: approved with another input · ann · after 41.0 s"],
      ...["Limited", "Ran: still runs", "Recorded: #1 to #3 of s1"],
    ]);
  });

  it.each([
    ["that waits", [stored("tool.needs_approval", 0, asks)], "Approved: waits for a person"],
    ["that the policy refused", [stored("tool.denied", 0, { effect: "deny", rule: "tools.deny[0]" })], "Decided: blocked · tools.deny[0]"],
    [
      "that a person refused",
      [stored("tool.needs_approval", 0, asks), stored("tool.denied", 9, { effect: "deny", rule: "approval.deny" })],
      "Approved: not approved",
    ],
    ["of an unknown tool", [stored("tool.failed", 0, { error: { code: "tool_not_found" } })], "Found: failed: tool_not_found"],
    ["that fits no schema", [stored("tool.failed", 0, { error: { code: "invalid_input" } })], "Parsed: failed: invalid_input"],
    ["that came too often", [stored("tool.failed", 0, { error: { code: "rate_limited" } })], "Limited: failed: rate_limited"],
    [
      "whose output is none",
      [stored("tool.started", 0, allowed), stored("tool.failed", 9, { error: { code: "invalid_output" } })],
      "Projected: failed: invalid_output",
    ],
    ["that waits inside", [stored("tool.started", 0, allowed), stored("tool.needs_approval", 9, asks)], "Ran: waits for a call inside"],
  ])("of one %s end there", (_, events, last) => {
    expect(brief(stagesOf(story(...events))).at(-2)).toBe(last);
  });

  it("name the grant that stood for a person", () => {
    const by = [{ kind: "user", id: "ann" }];
    const events = story(
      stored("tool.approved", 0, { grants: ["grt_1"], by }),
      stored("tool.started", 1, { effect: "allow", rule: "grant:grt_1" }),
    );
    expect(brief(stagesOf(events))).toEqual(expect.arrayContaining(["Decided: runs · grant:grt_1", "Approved: by a grant of ann"]));
  });
});
