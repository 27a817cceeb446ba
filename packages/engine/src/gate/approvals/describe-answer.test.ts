import { expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRecord } from "../../ports/approval-store.ts";
import { describeAnswer, describeState } from "./describe-answer.ts";

const record = {
  expiresAt: Number.MAX_SAFE_INTEGER,
  quorum: { approvers: 2, permissions: [], notRequester: false },
} as unknown as ApprovalRecord;
const by = (id: string, outcome: ApprovalAnswer["outcome"]): ApprovalAnswer => ({ outcome, by: { kind: "user", id }, at: 0 });
const at = "at 1970-01-01T00:00:00.000Z";

test.each<[ApprovalAnswer["outcome"], string]>([
  [{ kind: "approve" }, `approved by user ann ${at}`],
  [{ kind: "approve", remember: { scope: "session" } }, `approved by user ann ${at}: {"scope":"session"}`],
  [{ kind: "deny" }, `denied by user ann ${at}`],
  [{ kind: "deny", message: "No\u202e\nnever" }, `denied by user ann ${at}: "No<U+202E>\\nnever"`],
  [{ kind: "edit", input: { path: "a" } }, `approved with another input by user ann ${at}: {"path":"a"}`],
  [{ kind: "respond", message: "Done." }, `answered in its place by user ann ${at}: "Done."`],
])("%j is told with who gave it, when and in which words", (outcome, expected) => {
  expect(describeAnswer(by("ann", outcome))).toBe(expected);
});

test("where several people are needed each of them is told, and the one who refused", () => {
  const [ann, bob] = [by("ann", { kind: "approve" }), by("bob", { kind: "approve" })];
  const lines = (text: string) => text.split("\n").map((line) => line.trim());
  expect(lines(describeState({ record, approvals: [ann] }, 0))).toEqual([describeAnswer(ann), "open, approved by 1 of 2 people"]);
  expect(lines(describeState({ record, approvals: [ann, bob], answer: bob, claimedAt: 0 }, 0))).toEqual([
    describeAnswer(ann),
    describeAnswer(bob),
    `used ${at}`,
  ]);
  const no = by("eve", { kind: "deny" });
  expect(lines(describeState({ record, approvals: [ann], answer: no }, 0))).toEqual([describeAnswer(ann), describeAnswer(no)]);
});
