import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { CopyAs } from "../../copy-as/copy-as.tsx";
import type { Json } from "../../form/json-schema.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When, wordsOfDuration } from "../../parts/when.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import { StoredRun } from "../../result/stored-run.tsx";
import { CompareRuns } from "./compare-runs.tsx";
import classes from "./tool-page.module.css";

interface ToolHistoryProps {
  readonly tool: Item<"tools.list">;
  readonly onRerun: (input: Json) => void;
}

/** Runs of this tool, newest first; any number of them open, and two of them compared. */
export function ToolHistory({ tool, onRerun }: ToolHistoryProps) {
  const { may } = useMe();
  const [{ one, other }, change] = useUrl();
  const { data, error, refetch } = useQuery({ ...reading("runs.list", { tool: tool.name, limit: 50 }), enabled: may("log:read") });
  if (!may("log:read")) return <Empty title="The history needs a permission">Ask an owner of the tenant for log:read.</Empty>;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting />;
  if (data.items.length === 0)
    return <Empty title="Nobody has run this tool yet">Each run appears here with its input and how it ended.</Empty>;
  const picked = [one, other].filter((id) => id !== undefined);
  /** A third takes the place of the first. */
  const pick = (id: string) => {
    const [first, second] = picked.includes(id) ? picked.filter((each) => each !== id) : [...picked, id].slice(-2);
    change({ one: first, other: second });
  };
  return (
    <>
      {one !== undefined && other !== undefined && (
        <CompareRuns ids={[one, other]} close={() => change({ one: undefined, other: undefined })} />
      )}
      {picked.length === 1 && <p role="status">Tick one more run to compare the two.</p>}
      <ul className={classes.history} aria-label={`${data.items.length} runs`}>
        {data.items.map((run) => (
          <HistoryRow key={run.id} run={run} tool={tool} isPicked={picked.includes(run.id)} pick={() => pick(run.id)} onRerun={onRerun} />
        ))}
      </ul>
    </>
  );
}

interface HistoryRowProps extends ToolHistoryProps {
  readonly run: Item<"runs.list">;
  readonly isPicked: boolean;
  readonly pick: () => void;
}

function HistoryRow({ run, tool, isPicked, pick, onRerun }: HistoryRowProps) {
  return (
    <li className={classes.past}>
      <Checkbox
        size="xs"
        aria-label={`Compare the run of ${new Date(run.startedAt).toLocaleString()}`}
        title="Compare"
        checked={isPicked}
        onChange={pick}
      />
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
          <CopyAs tool={tool} input={run.input as Json} />
          <Link to="/calls/$id" params={{ id: run.id }}>
            The story of this call
          </Link>
        </div>
      </details>
    </li>
  );
}
