import type { Effect } from "../contract/decision.ts";
import { testRule } from "../policy/compile-commands.ts";
import { compilePolicy } from "../policy/compile-policy.ts";
import { parsePolicyDocument } from "../policy/document/policy-document.ts";

/** A command, the patterns an operator allowed, and what the answer must be. `ask` is met by `deny` too. */
export interface ExecCase {
  readonly id: string;
  readonly allow: readonly string[];
  readonly command: string;
  readonly expect: Effect;
  readonly tags?: readonly string[];
}

const tool = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" } as const;
const facts = { sandbox: { available: true, detail: "test" } };
const principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" } as const;

/** The answer to a case, and the reasons of the findings that led to it. */
export interface ExecVerdict {
  readonly effect: Effect;
  readonly detail: string;
}

/** Decides one case through the policy: its patterns are the only rules. Patterns that cover nothing, or never allow what they say, are no rules. */
export function explainExecCase(testCase: Pick<ExecCase, "allow" | "command">): ExecVerdict {
  const rules = testCase.allow
    .map((pattern) => ({ pattern, effect: "allow" }) as const)
    .filter((rule) => testRule(rule).problem === undefined);
  const document = parsePolicyDocument({
    version: 1,
    autonomy: "supervised",
    commands: { mode: "allowlist", builtin_rules: false, rules },
  });
  const policy = compilePolicy([{ tier: "platform", document }]);
  const { effect, findings } = policy.decide(tool, [{ kind: "command", command: testCase.command }], facts, principal);
  const reasons = findings.filter((finding) => finding.layer === "command" && finding.effect === effect).map(({ reason }) => reason);
  return { effect, detail: [...new Set(reasons)].join(" ") };
}

/** The answer to a case alone. */
export function judgeExecCase(testCase: Pick<ExecCase, "allow" | "command">): Effect {
  return explainExecCase(testCase).effect;
}
