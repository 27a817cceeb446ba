import { lazy, Suspense } from "react";
import type { Item } from "../../api/queries.ts";
import { wordsOfSize } from "../../form/input-size.ts";
import { Failure } from "../../parts/failure.tsx";
import { ResultView } from "../../result/result-view.tsx";
import classes from "./tool-page.module.css";
import type { RunState } from "./use-run.ts";

// Most runs are of this page, do not wait, and make no calls.
const StoredRun = lazy(async () => ({ default: (await import("../../result/stored-run.tsx")).StoredRun }));
const InsideCalls = lazy(async () => ({ default: (await import("../call/inside-calls.tsx")).InsideCalls }));
const AwaitAnswer = lazy(async () => ({ default: (await import("./await-answer.tsx")).AwaitAnswer }));
const AwaitAnswerOf = lazy(async () => ({ default: (await import("./await-answer.tsx")).AwaitAnswerOf }));

interface RunOutcomeProps {
  readonly state: RunState;
  readonly tool: Item<"tools.list">;
  /** Of the URL: a run that was made before the page was opened. */
  readonly callId: string | undefined;
  readonly resume: (approvalId: string) => void;
  /** Leaves the result to what the log has of it. */
  readonly leave: () => void;
}

/** How far the run is, and how it ended. */
export function RunOutcome({ state, tool, callId, resume, leave }: RunOutcomeProps) {
  const { status, output, leftOut = 0, progress, result, error } = state;
  const shownId = status === "idle" ? callId : result?.callId;
  return (
    <section aria-label="Result" className={classes.outcome}>
      {status === "running" && <Running progress={progress} isTaken={state.isTaken} />}
      {leftOut > 0 && status === "running" && (
        <p className="dim small">{`The last of it; ${wordsOfSize(leftOut)} before are left out here.`}</p>
      )}
      {output !== "" && status === "running" && <pre className={classes.stream}>{output}</pre>}
      {error !== undefined && status !== "lost" && <Failure error={error} kept="What you typed is kept." />}
      {result && <ResultView result={result} tool={tool} />}
      <Suspense fallback={null}>
        {result?.status === "pending" && <AwaitAnswer id={result.approval.id} callId={result.callId} resume={resume} leave={leave} />}
        {status === "idle" && callId !== undefined && (
          <>
            <StoredRun id={callId} />
            <AwaitAnswerOf callId={callId} resume={resume} />
          </>
        )}
      </Suspense>
      <Suspense fallback={null}>{tool.effects.tools !== undefined && shownId !== undefined && <InsideCalls id={shownId} />}</Suspense>
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
