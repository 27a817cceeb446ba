import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { type Item, reading } from "../../api/queries.ts";
import { wordsOfSize } from "../../form/input-size.ts";
import { Failure } from "../../parts/failure.tsx";
import { ResultView } from "../../result/result-view.tsx";
import { StoredRun } from "../../result/stored-run.tsx";
import classes from "./tool-page.module.css";
import type { RunState } from "./use-run.ts";

interface RunOutcomeProps {
  readonly state: RunState;
  readonly tool: Item<"tools.list">;
  /** Of the URL: a run that was made before the page was opened. */
  readonly callId: string | undefined;
  readonly resume: (approvalId: string) => void;
}

/** How far the run is, and how it ended. */
export function RunOutcome({ state, tool, callId, resume }: RunOutcomeProps) {
  const { status, output, leftOut = 0, progress, result, error } = state;
  return (
    <section aria-label="Result" className={classes.outcome}>
      {status === "running" && <Running progress={progress} isTaken={state.isTaken} />}
      {leftOut > 0 && status === "running" && (
        <p className="dim small">{`The last of it; ${wordsOfSize(leftOut)} before are left out here.`}</p>
      )}
      {output !== "" && status === "running" && <pre className={classes.stream}>{output}</pre>}
      {error !== undefined && status !== "lost" && <Failure error={error} kept="What you typed is kept." />}
      {result && <ResultView result={result} tool={tool} />}
      {result?.status === "pending" && <WaitForAnswer id={result.approval.id} resume={resume} />}
      {status === "idle" && callId !== undefined && <StoredRun id={callId} />}
    </section>
  );
}

function Running({ progress, isTaken }: Pick<RunState, "progress" | "isTaken">) {
  const { done, total, message } = (progress ?? {}) as { readonly done?: number; readonly total?: number; readonly message?: string };
  return (
    <div role="status">
      <p>{message ?? (isTaken ? "It runs since before this page was opened. Its output is what the log keeps." : "Running …")}</p>
      {done !== undefined && <progress aria-label="Progress" value={done} {...(total !== undefined && { max: total })} />}
    </div>
  );
}

/** The call runs when somebody says yes; whoever looks at this page need not do more. */
function WaitForAnswer({ id, resume }: { readonly id: string; readonly resume: (approvalId: string) => void }) {
  const { data } = useQuery({ ...reading("approvals.get", { id }), staleTime: 0 });
  const isYes = (data?.answer?.outcome.kind === "approve" || data?.answer?.outcome.kind === "edit") && data.claimedAt === undefined;
  const said = data?.answer;
  useEffect(() => {
    if (isYes) resume(id);
  }, [isYes, id, resume]);
  if (said && !isYes)
    return (
      <p>
        {said.by.id} answered:{" "}
        {said.outcome.kind === "deny" || said.outcome.kind === "respond" ? (said.outcome.message ?? "denied") : said.outcome.kind}
      </p>
    );
  return (
    <p>
      It waits for a person. <Link to="/approvals">Answer it under Approvals</Link>; it then runs here by itself.
    </p>
  );
}
