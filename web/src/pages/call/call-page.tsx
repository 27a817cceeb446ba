import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Answer, reading } from "../../api/queries.ts";
import { wordsOf } from "../../api/words.ts";
import { CopyAs } from "../../copy-as/copy-as.tsx";
import type { Json } from "../../form/json-schema.ts";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { wordsOfDuration } from "../../parts/when.tsx";
import { Artifacts } from "../../result/artifacts.tsx";
import { ErrorText } from "../../result/error-text.tsx";
import { RunOutput } from "../../result/run-output.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import { WhyButton } from "../../why/why-button.tsx";
import classes from "./call-page.module.css";
import { InsideCalls } from "./inside-calls.tsx";
import { RawEvents } from "./raw-events.tsx";
import { CallInput, StageList } from "./stage-list.tsx";

/** The story of one call: what was asked, how it was decided, what it did. */
export function CallPage() {
  const { id = "" } = useParams({ strict: false });
  const { data: run, error, refetch } = useQuery(reading("runs.get", { id }));
  if (error && !run)
    return (
      <>
        <PageHead title="Call" />
        <Failure error={error} retry={() => void refetch()} />
      </>
    );
  if (!run) return <Waiting />;
  return (
    <>
      <PageHead title={run.tool} tab={`${run.tool} ${run.id}`}>
        <StatusWord status={run.status} />
        <code className="dim">{run.id}</code>
        <CopyOf run={run} />
      </PageHead>
      <Facts run={run} />
      {run.error !== null && (
        <div className={classes.error}>
          <ErrorText text={run.error} />
        </div>
      )}
      <CallInput run={run} />
      {run.output !== null && (
        <section className={classes.part}>
          <h2>Output</h2>
          <RunOutput run={run} />
        </section>
      )}
      <KeptFiles run={run} />
      <StageList run={run} />
      <InsideCalls id={run.id} />
      <RawEvents key={run.id} run={run} />
    </>
  );
}

/** Whoever may make the call again can take it along. */
function CopyOf({ run }: { readonly run: Answer<"runs.get"> }) {
  const { data } = useQuery(reading("tools.list", { decisions: true }));
  const tool = data?.items.find(({ name }) => name === run.tool);
  return tool && <CopyAs tool={tool} input={run.input as Json} />;
}

function Facts({ run }: { readonly run: Answer<"runs.get"> }) {
  const facts = [
    new Date(run.startedAt).toLocaleString(),
    run.agent === null || run.agent === run.caller.id ? run.caller.id : `${run.agent} for ${run.caller.id}`,
    `by ${run.door}`,
    ...(run.durationMs === null ? [] : [wordsOfDuration(run.durationMs)]),
  ];
  return (
    <p className="dim">
      {facts.join(" · ")} ·{" "}
      <Link to="/tools/$name" params={{ name: run.tool }}>
        open the tool
      </Link>{" "}
      {run.status === "pending" && (
        <>
          · <Link to="/approvals">answer it</Link>{" "}
        </>
      )}
      · <WhyButton about={{ call: run.id }} name={run.tool} />
      {run.parent !== null && (
        <>
          {" "}
          ·{" "}
          <Link to="/calls/$id" params={{ id: run.parent }}>
            made by another call
          </Link>
        </>
      )}
    </p>
  );
}

/** Files of the call, and wholes of what was cut. */
function KeptFiles({ run: { session, id } }: { readonly run: Answer<"runs.get"> }) {
  const { data, error } = useQuery(reading("artifacts.list", { session, call: id }));
  if (error && !data) return <p className="dim small">{`What it kept cannot be listed: ${wordsOf(error)}`}</p>;
  if (!data || data.items.length === 0) return null;
  return (
    <section className={classes.part}>
      <h2>Kept</h2>
      <Artifacts artifacts={data.items} />
    </section>
  );
}
