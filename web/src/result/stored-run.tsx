import { useQuery } from "@tanstack/react-query";
import { reading } from "../api/queries.ts";
import { Failure } from "../parts/failure.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { When } from "../parts/when.tsx";
import { ErrorText } from "./error-text.tsx";
import { OutputView } from "./output-view.tsx";
import classes from "./result.module.css";
import { RunOutput } from "./run-output.tsx";
import { StatusWord } from "./status-word.tsx";

/** A call as the log has it. */
export function StoredRun({ id }: { readonly id: string }) {
  const { data: run, error, refetch } = useQuery(reading("runs.get", { id }));
  if (error && !run) return <Failure error={error} retry={() => void refetch()} />;
  if (!run) return <Waiting rows={2} />;
  return (
    <article className={classes.result}>
      <h2>
        <StatusWord status={run.status} /> <When at={run.startedAt} />
      </h2>
      {run.error !== null && <ErrorText text={run.error} />}
      {run.output !== null && <RunOutput run={run} />}
      <details>
        <summary>Input</summary>
        <OutputView output={run.input} />
      </details>
    </article>
  );
}
