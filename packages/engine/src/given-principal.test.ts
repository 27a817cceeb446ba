import { expect, test } from "vitest";
import { createEngine } from "./engine.ts";

const engine = createEngine();
const ann = { tenant: "acme", actor: { kind: "user", id: "ann" } } as const;

test("a principal that a program names has no permissions and comes from its code, in a session of its own", () => {
  const [first, second] = [engine.scope(ann), engine.scope(ann)];
  expect(first.principal).toEqual({ ...ann, door: "code", permissions: [] });
  expect(first.session).toMatch(/^ses_/);
  expect(second.session).not.toBe(first.session);
});

test("what is named is kept", () => {
  const scope = engine.scope({ ...ann, door: "slack-bot", permissions: ["approvals:answer"] }, { session: "s1" });
  expect(scope.principal).toEqual({ ...ann, door: "slack-bot", permissions: ["approvals:answer"] });
  expect(scope.session).toBe("s1");
});

test.each(["", "Slack", "1st", "a b", "x\n", `a${"b".repeat(32)}`])("the door %j is refused, and the error says what a name is", (door) => {
  expect(() => engine.scope({ ...ann, door })).toThrow(
    expect.objectContaining({ code: "principal_invalid", message: expect.stringContaining("lower-case letter") }),
  );
});
