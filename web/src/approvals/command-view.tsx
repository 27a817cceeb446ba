import { visibleText } from "../api/client.ts";
import type { Item } from "../api/queries.ts";
import { DecisionWord } from "../parts/decision-word.tsx";
import classes from "./exact-view.module.css";
import type { Stored } from "./stored.ts";

interface CommandViewProps {
  readonly item: Extract<Item<"approvals.preview">, { readonly kind: "command" }>;
  readonly findings: Stored["record"]["decision"]["findings"];
}

/** One simple command a line; those that ask name their rule. */
export function CommandView({ item: { pieces }, findings }: CommandViewProps) {
  const asking = findings.filter(({ effect }) => effect !== "allow");
  return (
    <ol className={classes.commands}>
      {pieces.map(({ text, source }, index) => {
        const finding = asking.find(({ subject }) => subject !== undefined && subject === source);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line may say the same twice, and its pieces never change
          <li key={index}>
            <pre>{visibleText(text.trimEnd())}</pre>
            {finding && (
              <span>
                <DecisionWord effect={finding.effect} /> <span className="dim small">{finding.rule}</span>
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
