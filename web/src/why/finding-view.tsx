import { visibleText } from "../api/client.ts";
import type { Answer } from "../api/queries.ts";
import { DecisionWord } from "../parts/decision-word.tsx";
import type { AnyFinding } from "./answers-of.ts";

type Places = NonNullable<Answer<"policy.why">["explanation"]["places"]>;
interface FindingViewProps {
  readonly finding: AnyFinding;
  readonly places: Places | undefined;
}

/** What a rule says, or said, with its place in a file where that may be told. */
export function FindingView({ finding: { effect, rule, subject, reason, risk }, places = {} }: FindingViewProps) {
  const position = Object.hasOwn(places, rule) ? places[rule] : undefined;
  return (
    <>
      <DecisionWord effect={effect} /> <code>{visibleText(rule)}</code>
      {position && (
        <span className="dim small">
          {" "}
          {visibleText(position.file)}:{position.line}
        </span>
      )}
      {risk !== undefined && <span className="dim small"> · {risk} risk</span>}
      {subject !== undefined && <pre>{visibleText(subject)}</pre>}
      {reason !== undefined && <p className="small">{visibleText(reason)}</p>}
    </>
  );
}
