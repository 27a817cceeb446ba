import { useQuery } from "@tanstack/react-query";
import { type Answer, reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { ForeignLine } from "../../parts/foreign-line.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { wordsOfDuration } from "../../parts/when.tsx";
import { OutputView } from "../../result/output-view.tsx";
import classes from "./call-page.module.css";
import { type Stage, stagesOf, toldBy } from "./call-stages.ts";

/** The events of a call that tell its story; what it put out is left to the list of all of them. */
export function useStory({ session, id }: Pick<Answer<"runs.get">, "session" | "id">) {
  return useQuery(reading("events.list", { session, call: id, output: false, limit: 1000 }));
}

/** How the call passed the gate, and its input where a person changed it. */
export function StageList({ run }: { readonly run: Answer<"runs.get"> }) {
  const { data, error, refetch } = useStory(run);
  const events = data?.items ?? [];
  const approvalId = events.map(toldBy).find(({ approval }) => approval !== undefined)?.approval;
  // Whoever may not see the approval reads what the events hold.
  const approval = useQuery({ ...reading("approvals.get", { id: approvalId ?? "" }), enabled: approvalId !== undefined, retry: false });
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const begun = events[0]?.event.at ?? run.startedAt;
  return (
    <section className={classes.part}>
      <h2>How it went</h2>
      <ForeignLine foreign={events.map(toldBy).find(({ foreign }) => foreign)?.foreign} />
      <ol className={classes.story}>
        {stagesOf(events, approval.data).map((stage) => (
          <StageRow key={stage.name} stage={stage} begun={begun} />
        ))}
      </ol>
      <p className="dim small">The log holds no time of the stages before the decision.</p>
    </section>
  );
}

function StageRow({ stage, begun }: { readonly stage: Stage; readonly begun: number }) {
  const { name, words, at, lines, hasNews } = stage;
  const line = (
    <>
      {hasNews ? <strong>{name}</strong> : <span className="dim">{name}</span>}
      {words && <span>{words}</span>}
      {at !== undefined && (
        <time
          className={classes.at}
          dateTime={new Date(at).toISOString()}
          title={at === begun ? undefined : `after ${wordsOfDuration(at - begun)}`}
        >
          {new Date(at).toLocaleTimeString()}
        </time>
      )}
    </>
  );
  return (
    <li className={hasNews ? classes.news : undefined}>
      {lines.length === 0 ? (
        <div className={classes.line}>{line}</div>
      ) : (
        <details open={hasNews}>
          <summary className={classes.line}>{line}</summary>
          <ul className={classes.lines}>
            {lines.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** The input that the tool got, and what was asked for where a person wrote another one. */
export function CallInput({ run }: { readonly run: Answer<"runs.get"> }) {
  const { data } = useStory(run);
  const told = (data?.items ?? []).map(toldBy);
  const isRepaired = told.some(({ repairs }) => repairs !== undefined);
  const ranWith = told.findLast(({ input, effect }) => input !== undefined && effect === "allow")?.input;
  const isEdited = told.some(({ edited }) => edited === true) && ranWith !== undefined;
  return (
    <section className={classes.part}>
      <h2>{isEdited ? "Input as it was asked for" : isRepaired ? "Input as repaired" : "Input"}</h2>
      {run.input === null ? (
        <p className="dim">Not recorded: the call ended before its input was read.</p>
      ) : (
        <OutputView output={run.input} />
      )}
      {isRepaired && <p className="dim small">The log keeps what was repaired, below under Parsed, and not the input as it was sent.</p>}
      {isEdited && (
        <>
          <h3>Input as it ran</h3>
          <OutputView output={ranWith} />
        </>
      )}
    </section>
  );
}
