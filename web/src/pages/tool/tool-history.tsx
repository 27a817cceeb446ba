import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import type { Json } from "../../form/json-schema.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When, wordsOfDuration } from "../../parts/when.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import { StoredRun } from "../../result/stored-run.tsx";
import classes from "./tool-page.module.css";

/** Runs of this tool, newest first; any number of them open. */
export function ToolHistory({ tool, onRerun }: { readonly tool: string; readonly onRerun: (input: Json) => void }) {
  const { may } = useMe();
  const { data, error, refetch } = useQuery({ ...reading("runs.list", { tool, limit: 50 }), enabled: may("log:read") });
  if (!may("log:read")) return <Empty title="The history needs a permission">Ask an owner of the tenant for log:read.</Empty>;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting />;
  if (data.items.length === 0)
    return <Empty title="Nobody has run this tool yet">Each run appears here with its input and how it ended.</Empty>;
  return (
    <ul className={classes.history} aria-label={`${data.items.length} runs`}>
      {data.items.map((run) => (
        <li key={run.id}>
          <details>
            <summary>
              <StatusWord status={run.status} /> <When at={run.startedAt} /> · {run.agent ?? run.caller.id} · {run.door}
              {run.durationMs !== null && ` · ${wordsOfDuration(run.durationMs)}`}
            </summary>
            <StoredRun id={run.id} />
            <div className={classes.acts}>
              <Button size="compact-sm" variant="default" onClick={() => onRerun(run.input as Json)}>
                Use this input
              </Button>
              <Link to="/calls/$id" params={{ id: run.id }}>
                The story of this call
              </Link>
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}
