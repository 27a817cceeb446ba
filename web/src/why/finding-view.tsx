import { visibleText } from "../api/client.ts";
import type { Answer } from "../api/queries.ts";
import { DecisionWord } from "../parts/decision-word.tsx";

export type Places = NonNullable<Answer<"policy.why">["explanation"]["places"]>;
type Recorded = Answer<"runs.why">["decisions"][number];
/** One rule's word: of a decision as it would be made now, or as the log has it. */
type AnyFinding = Pick<Recorded, "effect" | "rule" | "reason"> & Partial<Recorded["findings"][number]>;

interface FindingViewProps {
  readonly finding: AnyFinding;
  readonly places: Places | undefined;
}

/** What a rule said, with its place in a file where that may be told. */
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
