import { Check, X } from "lucide-react";
import type { Item } from "../../api/queries.ts";
import classes from "./policy-page.module.css";

const words = { match: "matches", not_match: "does not match" } as const;

/** The tests that command rules carry, and how they ended. */
export function RuleTests({ rules }: { readonly rules: readonly Item<"policy.test">[] }) {
  if (rules.length === 0) return null;
  const failed = rules.filter(({ problem }) => problem !== undefined).length;
  const tests = rules.reduce((sum, rule) => sum + rule.tests.length, 0);
  return (
    <section className={classes.section}>
      <h2>
        {rules.length} {rules.length === 1 ? "rule" : "rules"} with {tests} {tests === 1 ? "test" : "tests"}
        {failed === 0 ? ", all pass" : `, ${failed} failing`}
      </h2>
      <ul className={classes.rules}>
        {rules.map(({ path, pattern, effect, tests: own }) => (
          <li key={path.join(".")}>
            <code>
              {effect} {pattern}
            </code>
            {own.length === 0 && <span className="dim small"> has no tests. Give it match: and not_match:.</span>}
            <ul>
              {own.map(({ line, expected, passed }) => (
                <li key={`${expected} ${line}`} data-level={passed ? undefined : "error"}>
                  {passed ? <Check size={14} aria-hidden /> : <X size={14} aria-hidden />}
                  <span>
                    {passed ? "passes" : "fails"}: {words[expected]} <code>{line}</code>
                  </span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
