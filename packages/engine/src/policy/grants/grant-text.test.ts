import { expect, test } from "vitest";
import { describeGrant } from "./grant-text.ts";

const stored = {
  record: {
    id: "grt_1",
    tenant: "acme",
    tool: "exec",
    definition: "d",
    scope: { kind: "agent", holder: "agent nightly" },
    allows: [{ kind: "command", pattern: "npm test" }],
    by: { kind: "user", id: "ann" },
    createdAt: Date.UTC(2026, 0, 2, 3, 4),
    expiresAt: Date.UTC(2026, 1, 2, 3, 4),
    maxUses: 5,
  },
  used: 2,
} as const;

test("says until when, how often and when it was used last, and who gave it when", () => {
  expect(describeGrant({ ...stored, lastUsedAt: Date.UTC(2026, 0, 5, 6, 7) })).toContain(
    "until 2026-02-02 03:04 UTC, used 2 of 5 times, last 2026-01-05 06:07 UTC. Given by user ann, 2026-01-02 03:04 UTC.",
  );
});

test("says nothing of a last use that there was not", () => {
  expect(describeGrant({ ...stored, used: 0 })).toContain("used 0 of 5 times. Given by");
});
