import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, reading } from "../api/queries.ts";
import { Failure } from "../parts/failure.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { findingsByLayer, keyOfFinding } from "./answers-of.ts";
import { Explained } from "./explained.tsx";
import { FindingView } from "./finding-view.tsx";
import classes from "./why.module.css";

type Told = Answer<"runs.why">;
type Decision = Told["decisions"][number];

/** How a call was decided, as the log has it; how it would be decided now is another question, asked apart. */
export function Recorded({ call }: { readonly call: string }) {
  const { data, error, refetch } = useQuery(reading("runs.why", { id: call }));
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting rows={5} />;
  return (
    <div className={classes.answers}>
      <p className="dim small">As it was decided, from the log.</p>
      {data.decisions.length === 0 && <p>The call ended before it was decided.</p>}
      {data.decisions.map((decision) => (
        <DecisionThen key={`${decision.at} ${decision.rule}`} decision={decision} told={data} />
      ))}
      <Now told={data} />
    </div>
  );
}

const verbs = { allow: "It was allowed", ask: "A person was asked", deny: "It was denied" } as const;

function DecisionThen({ decision, told: { places, revision } }: { readonly decision: Decision; readonly told: Told }) {
  const { at, effect } = decision;
  return (
    <section>
      <h3>
        {verbs[effect]} at <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>
      </h3>
      {findingsByLayer(decision).map(({ layer, findings }) => (
        <div key={layer} className={classes.layer}>
          <h4>{layer} rules</h4>
          <ul className={classes.findings}>
            {findings.map((finding) => (
              <li key={keyOfFinding(finding)}>
                <FindingView finding={finding} places={places} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      {decision.revision !== undefined && (
        <p className="dim small">
          Policy revision {decision.revision.slice(0, 12)}
          {decision.revision === revision ? ", which is in force now" : `; in force now is ${revision.slice(0, 12)}`}
        </p>
      )}
    </section>
  );
}

function Now({ told: { tool, input } }: { readonly told: Told }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.now} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>How it would be now</summary>
      {isOpen && (
        <>
          {!input && <p className="small">The log does not hold the whole input, so this is of the tool alone.</p>}
          <Explained about={{ tool, ...(input && { input }) }} />
        </>
      )}
    </details>
  );
}
