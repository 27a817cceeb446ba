import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { visibleText } from "../api/client.ts";
import { reading } from "../api/queries.ts";
import { Failure } from "../parts/failure.tsx";
import { Waiting } from "../parts/waiting.tsx";
import classes from "./approval-card.module.css";

/** What a yes for later would cover, by examples: fetched when somebody asks. */
export function Remembering({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.remembering} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What remembering would cover</summary>
      {isOpen && <Covered id={id} />}
    </details>
  );
}

function Covered({ id }: { readonly id: string }) {
  const { data, error } = useQuery(reading("approvals.propose", { id }));
  if (error) return <Failure error={error} />;
  if (!data) return <Waiting rows={2} />;
  if ("reason" in data) return <p className="dim small">{visibleText(data.reason)}</p>;
  return (
    <>
      <Calls title="It would allow" calls={data.proposal.matches} />
      <Calls title="It would not allow" calls={data.proposal.notMatches} />
    </>
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
