import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Answer, type Item, reading } from "../../api/queries.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { wordsOfDuration } from "../../parts/when.tsx";
import { OutputView } from "../../result/output-view.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import classes from "./call-page.module.css";
import { tellStory } from "./tell-story.ts";

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
      </PageHead>
      <p className="dim">
        {[
          new Date(run.startedAt).toLocaleString(),
          run.agent === null ? run.caller.id : `${run.agent} for ${run.caller.id}`,
          `by ${run.door}`,
          ...(run.durationMs === null ? [] : [wordsOfDuration(run.durationMs)]),
        ].join(" · ")}{" "}
        ·{" "}
        <Link to="/tools/$name" params={{ name: run.tool }}>
          open the tool
        </Link>
      </p>
      {run.error !== null && <p className={classes.error}>{run.error}</p>}
      <section className={classes.part}>
        <h2>Input</h2>
        <OutputView output={run.input} />
      </section>
      {run.output !== null && (
        <section className={classes.part}>
          <h2>Output</h2>
          <OutputView output={run.output} />
        </section>
      )}
      <Story run={run} />
    </>
  );
}

/** The events of the call, in order: each stage in words, and whole. */
function Story({ run }: { readonly run: Answer<"runs.get"> }) {
  const { data, error, refetch } = useQuery(reading("events.list", { session: run.session, call: run.id, limit: 1000 }));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting />;
  if (data.items.length === 0) return <Empty title="No events">Retention took what the log had of this call.</Empty>;
  const first = data.items[0]?.event.at ?? 0;
  return (
    <section className={classes.part}>
      <h2>What happened</h2>
      <ol className={classes.story}>
        {data.items.map((stored) => (
          <Stage key={stored.sequence} stored={stored} since={first} />
        ))}
      </ol>
      {data.next !== undefined && (
        <p className="dim">
          The first {data.items.length} events; toolwright log show {run.session} has them all.
        </p>
      )}
      <p className="dim small">
        Recorded as #{data.items[0]?.sequence} to #{data.items.at(-1)?.sequence} of the session {run.session}.
      </p>
    </section>
  );
}

function Stage({ stored, since }: { readonly stored: Item<"events.list">; readonly since: number }) {
  const { event } = stored;
  return (
    <li>
      <details>
        <summary>
          <strong>{tellStory(stored)}</strong>{" "}
          <span className="dim small">
            {event.type} · after {wordsOfDuration(event.at - since)}
          </span>
        </summary>
        <OutputView output={event.data} />
      </details>
    </li>
  );
}
