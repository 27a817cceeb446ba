import { expect, test } from "vitest";
import { type Batch, batchesOf } from "./batches.ts";

type Stored = Batch["items"][number];
const waiting = (id: string, more: object = {}) =>
  ({
    record: { id, tool: "exec", input: { command: "ls" }, decision: { rule: "r", findings: [] }, ...more },
  }) as unknown as Stored;
const withFinding = (finding: object) => ({ decision: { rule: "r", findings: [finding] } });

test.each([
  { name: "like calls", items: [waiting("a"), waiting("b"), waiting("c", { tool: "file_write" })], ids: [["a", "b"]] },
  { name: "not one alone", items: [waiting("a")], ids: [] },
  { name: "not by another rule", items: [waiting("a"), waiting("b", { decision: { rule: "s", findings: [] } })], ids: [] },
  { name: "nothing of high risk", items: [waiting("a"), waiting("b", withFinding({ risk: "high" }))], ids: [] },
  { name: "nothing that is asked each time", items: [waiting("a"), waiting("b", withFinding({ grantable: false }))], ids: [] },
  { name: "nothing that several people answer", items: [waiting("a"), waiting("b", { quorum: { approvers: 2 } })], ids: [] },
  { name: "nothing too long to be read there", items: [waiting("a"), waiting("b", { input: { command: "x".repeat(500) } })], ids: [] },
])("answered together: $name", ({ items, ids }) => {
  expect(batchesOf(items).map((batch) => batch.items.map(({ record }) => record.id))).toEqual(ids);
});
