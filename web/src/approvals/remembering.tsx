import { useQuery } from "@tanstack/react-query";
import { visibleText } from "../api/client.ts";
import { reading } from "../api/queries.ts";
import classes from "./approval-card.module.css";

/** What a yes for later would cover, by examples: fetched when somebody asks. */
export function Remembering({ id }: { readonly id: string }) {
  const { data } = useQuery(reading("approvals.propose", { id }));
  // As high as what comes: a card that grows would move the buttons of those below it.
  if (!data)
    return (
      <details className={classes.remembering}>
        <summary>What remembering would cover</summary>
      </details>
    );
  if (!data.proposal) return "reason" in data ? <p className="dim small">Every call asks anew: {String(data.reason)}</p> : null;
  const { matches, notMatches } = data.proposal;
  return (
    <details className={classes.remembering}>
      <summary>What remembering would cover</summary>
      <Calls title="It would allow" calls={matches} />
      <Calls title="It would not allow" calls={notMatches} />
    </details>
  );
}

function Calls({ title, calls }: { readonly title: string; readonly calls: readonly string[] }) {
  if (calls.length === 0) return null;
  return (
    <>
      <h3 className={classes.name}>{title}</h3>
      <ul>
        {[...new Set(calls)].map((call) => (
          <li key={call}>
            <code>{visibleText(call)}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
