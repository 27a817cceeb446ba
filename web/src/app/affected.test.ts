import { describe, expect, it } from "vitest";
import { affectedBy } from "./affected.ts";

describe("what a change makes old", () => {
  it.each([
    [
      "a call that began",
      "tool.started",
      {
        old: [
          "runs.list",
          "events.list",
          "usage.get",
          "turns.list",
          "messages.list",
          "rooms.get",
          "memories.list",
          "documents.list",
          "browsers.list",
        ],
        kept: ["approvals.list", "tools.list"],
      },
    ],
    ["a call that waits", "tool.needs_approval", { old: ["approvals.list", "runs.get"], kept: ["tools.list", "usage.get"] }],
    ["an administrator", "admin.completed", { old: ["tools.list", "agents.list", "approvals.list", "policy.why"], kept: [] }],
    ["an event of another family", "agent.step", { old: ["events.list"], kept: ["approvals.list"] }],
  ])("%s", (_, type, { old, kept }) => {
    const isOld = (name: string) => affectedBy({ type }).some((beginning) => name.startsWith(beginning));
    expect(old.filter((name) => !isOld(name))).toEqual([]);
    expect(kept.filter(isOld)).toEqual([]);
  });
});
