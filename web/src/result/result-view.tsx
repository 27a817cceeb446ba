import { Link } from "@tanstack/react-router";
import type { CallResult } from "../api/client.ts";
import type { Item } from "../api/queries.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { wordsOfDuration } from "../parts/when.tsx";
import { Artifacts } from "./artifacts.tsx";
import { ErrorText } from "./error-text.tsx";
import { OutputView } from "./output-view.tsx";
import classes from "./result.module.css";
import { StatusWord } from "./status-word.tsx";
import { filesIn } from "./view-spec.ts";

interface ResultViewProps {
  readonly result: CallResult;
  readonly tool: Pick<Item<"tools.list">, "outputSchema" | "presentation">;
}

/** The answer first, then what is to be known of it, and JSON last. */
export function ResultView({ result, tool }: ResultViewProps) {
  return (
    <article className={classes.result}>
      <h2>
        <StatusWord status={result.status} />
      </h2>
      <Ending result={result} tool={tool} />
      <Artifacts artifacts={unseenArtifacts(result, tool)} />
      <Said result={result} />
      <p className={classes.facts}>{factsOf(result).join(" · ")}</p>
      <div className={classes.acts}>
        <Link to="/calls/$id" params={{ id: result.callId }}>
          The story of this call
        </Link>
        {result.status === "done" && <CopyButton text={() => JSON.stringify(result.output, null, 2)}>Copy as JSON</CopyButton>}
      </div>
    </article>
  );
}

function Ending({ result, tool }: ResultViewProps) {
  switch (result.status) {
    case "done":
      return <OutputView output={result.output} schema={tool.outputSchema} view={tool.presentation.view} artifacts={result.artifacts} />;
    case "failed":
    case "unknown":
      return (
        <>
          <ErrorText text={result.error.message} />
          {result.error.details !== undefined && (
            <details>
              <summary>Details</summary>
              <OutputView output={result.error.details} />
            </details>
          )}
        </>
      );
    case "denied":
      return (
        <p className={classes.words}>
          {result.message ?? result.decision.reason}
          {result.decision.remedy !== undefined && ` ${result.decision.remedy}`}
        </p>
      );
    case "cancelled":
      return <p className={classes.words}>{result.reason} What the tool had done by then is done.</p>;
    case "pending":
      return <p className={classes.words}>{result.approval.reason}</p>;
  }
}

/** What the call saved and its view does not offer. */
function unseenArtifacts(result: CallResult, { presentation: { view } }: ResultViewProps["tool"]): CallResult["artifacts"] {
  if (result.status !== "done" || !view) return result.artifacts;
  const offered = new Set(filesIn(view, result.output).map(({ id }) => id));
  return result.artifacts.filter(({ id }) => !offered.has(id));
}

/** What is less, or other, than was asked for: never quietly. */
function Said({ result }: Pick<ResultViewProps, "result">) {
  const repairs = result.repairs.map(({ path, what }) => `Repaired ${path || "the input"}: ${what}`);
  const cuts =
    result.status === "done"
      ? result.truncations.map(({ path, unit, total, kept }) => `Cut ${path || "the output"}: ${kept} of ${total} ${unit} are shown.`)
      : [];
  const lines = [...repairs, ...cuts, ...(result.notes ?? [])];
  if (lines.length === 0) return null;
  return (
    <ul className={classes.said} aria-label="Notes">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function factsOf({ durationMs, callId, replayed, ...result }: CallResult): readonly string[] {
  const posture = result.posture as { readonly sandbox?: string } | undefined;
  return [
    wordsOfDuration(durationMs),
    ...(posture?.sandbox === undefined ? [] : [posture.sandbox]),
    ...(result.repairs.length === 0 ? [] : [`${result.repairs.length} repaired`]),
    ...(replayed ? ["answered before"] : []),
    callId,
  ];
}
