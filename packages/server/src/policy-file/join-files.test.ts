import type { Decision } from "@toolwright/engine";
import { checkPolicyFile, compilePolicy, type PolicyFile, tiersOfFile } from "@toolwright/engine/policy";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type JoinedMembers, joinFiles, membersOf } from "./join-files.ts";
import { readPolicyText } from "./read-policy-text.ts";

const tool = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" } as const;
const facts = { sandbox: { available: true, detail: "" } };
const principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" } as const;

const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const rule = fc.record({
  pattern: fc.constantFrom("git *", "git status *", "npm test", "rm *"),
  effect: fc.constantFrom("allow", "ask", "deny"),
});
const handles = fc.array(fc.constantFrom("exec", "group:runtime", "file_read"), { maxLength: 2 });
const members = {
  tools: optional(fc.record({ deny: optional(handles), ask: optional(handles) })),
  commands: optional(fc.record({ rules: fc.array(rule, { maxLength: 3 }) })),
};
const agents = fc.uniqueArray(fc.record({ id: fc.constantFrom("a", "b"), autonomy: fc.constantFrom("read_only", "full"), ...members }), {
  selector: ({ id }) => id,
});
const file = fc.record({ ...members, agents: optional(agents) });

const read = (value: object): JoinedMembers => membersOf(readPolicyText(JSON.stringify(value), "file.json"));

function policyOf(joined: JoinedMembers) {
  const checked = checkPolicyFile(joined.value);
  return "file" in checked ? compilePolicy(tiersOfFile(checked.file satisfies PolicyFile)) : undefined;
}

const strictness: Readonly<Record<Decision["effect"], number>> = { allow: 0, ask: 1, deny: 2 };
const command = fc.constantFrom("git status", "git push", "npm test", "rm x", "git status && npm test");

test("an agent's document in an included file never widens what holds for everybody", () => {
  fc.assert(
    fc.property(file, file, command, (included, own, line) => {
      const policy = policyOf(joinFiles([read(included)], read(own)).joined);
      // Both name the same agent: refused, not joined.
      if (!policy) return;
      const decide = (agent?: string) =>
        policy.forPrincipal({ ...principal, ...(agent && { agent }) }).decide(tool, [{ kind: "command", command: line }], facts, principal)
          .effect;
      for (const agent of ["a", "b"]) expect(strictness[decide(agent)]).toBeGreaterThanOrEqual(strictness[decide()]);
    }),
  );
});

test("what an included file denies stays denied, whatever the including file says", () => {
  fc.assert(
    fc.property(file, file, command, (included, own, line) => {
      const [alone, joined] = [read(included), joinFiles([read(included)], read(own)).joined].map(policyOf);
      const decide = (policy: typeof alone) => policy?.decide(tool, [{ kind: "command", command: line }], facts, principal).effect;
      if (joined && decide(alone) === "deny") expect(decide(joined)).toBe("deny");
    }),
  );
});

test("the order in which two files are included changes no decision", () => {
  fc.assert(
    fc.property(file, file, command, (a, b, line) => {
      const [one, other] = [
        [a, b],
        [b, a],
      ].map((files) => policyOf(joinFiles(files.map(read), read({})).joined));
      const decide = (policy: typeof one) => policy?.decide(tool, [{ kind: "command", command: line }], facts, principal).effect;
      expect(decide(one)).toBe(decide(other));
    }),
  );
});

test("a member named __proto__ changes no other object", () => {
  const { value } = read(JSON.parse('{"rates": {"__proto__": "1/s", "act": "2/s"}}'));
  expect(Object.keys(value.rates as object)).toEqual(["__proto__", "act"]);
  expect(({} as Record<string, unknown>).act).toBeUndefined();
});
