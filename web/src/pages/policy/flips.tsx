import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answer, reading } from "../../api/queries.ts";
import type { Members } from "../../editor/document-text.ts";
import { DecisionWord } from "../../parts/decision-word.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./policy-page.module.css";

const mostShown = 200;

interface FlipsProps {
  readonly document: Members;
  readonly limit: number;
  /** The list opens on demand. */
  readonly isFolded?: boolean;
}

/** The calls that would go differently under a document. */
export function Flips({ document, limit, isFolded = false }: FlipsProps) {
  const { data, error, refetch } = useQuery({ ...reading("policy.simulate", { document, limit }), staleTime: 60_000 });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting rows={3} />;
  const { items, leftOut, redacted } = data;
  return (
    <>
      <p role="status">{sumOf(data)}</p>
      {items.length > 0 && !isFolded && <FlipTable items={items} />}
      {items.length > 0 && isFolded && (
        <details>
          <summary>Show the calls</summary>
          <FlipTable items={items} />
        </details>
      )}
      {leftOut.length > 0 && <LeftOut leftOut={leftOut} />}
      {redacted > 0 && (
        <p className="dim small">{countOf(redacted)} held a secret where the policy looks; it was decided with [redacted] in its place.</p>
      )}
    </>
  );
}

type Simulation = Answer<"policy.simulate">;

const countOf = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "call" : "calls"}`;
const words: Readonly<Record<string, string>> = { allow: "runs", ask: "asks", deny: "blocked" };

function sumOf({ calls, items, changes }: Simulation): string {
  if (calls === 0) return "The log has no calls that could be decided again.";
  if (items.length === 0) return `None of ${countOf(calls)} would go differently.`;
  const kinds = Object.entries(changes).map(
    ([change, count]) => `${count} from ${change.replace(/allow|ask|deny/g, (word) => words[word] ?? word)}`,
  );
  return `${items.length} of ${countOf(calls)} would go differently: ${kinds.join(", ")}.`;
}

function FlipTable({ items }: Pick<Simulation, "items">) {
  return (
    <ScrollBox className={classes.scroll} label="Calls that would go differently">
      {items.length > mostShown && <p className="dim small">The newest {mostShown} are listed.</p>}
      <table className={classes.flips}>
        <thead>
          <tr>
            {["Call", "Was", "Would be", "By", "When"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.slice(0, mostShown).map(({ place, tool, agent, actor, at, before, after }) => (
            <tr key={place}>
              <td>
                <Link to="/calls/$id" params={{ id: place }}>
                  {tool}
                </Link>{" "}
                <span className="dim small">{agent ?? actor.id}</span>
              </td>
              <td>
                <DecisionWord effect={before.effect} />
              </td>
              <td>
                <DecisionWord effect={after.effect} />
              </td>
              <td className={classes.rule}>
                <code>{after.rule}</code>
                <div className="dim small">{after.reason}</div>
              </td>
              <td>{at !== undefined && <When at={at} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function LeftOut({ leftOut }: Pick<Simulation, "leftOut">) {
  const reasons = Map.groupBy(leftOut, ({ reason }) => reason);
  return (
    <details>
      <summary>{countOf(leftOut.length)} left out</summary>
      <ul>
        {[...reasons].map(([reason, calls]) => (
          <li key={reason} className="small">
            {countOf(calls.length)}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}
