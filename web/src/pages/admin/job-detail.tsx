import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { type Item, reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";

interface JobDetailProps {
  readonly id: string;
  readonly close: () => void;
}

/** All that is known of one job. */
export function JobDetail({ id, close }: JobDetailProps) {
  const { data: job, error, refetch } = useQuery(reading("jobs.get", { id }));
  return (
    <section className={classes.section} aria-label={`Job ${id}`}>
      <h2>Job {id}</h2>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!job && !error && <Waiting />}
      {job && (
        <dl className={classes.facts}>
          {factsOf(job).map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      <Button variant="default" onClick={close}>
        Close
      </Button>
    </section>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function factsOf(job: Item<"jobs.list">): readonly Fact[] {
  const { tool, state, reason, attempts, retry, principal, runAt, startedAt, endedAt, schedule, dependsOn, input, result } = job;
  const maybe = (name: string, value: ReactNode): readonly Fact[] => (value === undefined ? [] : [[name, value]]);
  const at = (time: number | undefined) => (time === undefined ? undefined : <When at={time} />);
  return [
    ["Tool", <code key="tool">{tool}</code>],
    ["State", reason ? `${state}: ${reason}` : state],
    ["Tries", `${attempts} of ${retry.attempts}`],
    ["Runs as", principal.actor.id],
    ["Due", <When key="due" at={runAt} />],
    ...maybe("Began", at(startedAt)),
    ...maybe("Ended", at(endedAt)),
    ...maybe("Schedule", schedule),
    ...maybe("Waits for", dependsOn.length > 0 ? dependsOn.join(", ") : undefined),
    ["Input", <pre key="input">{JSON.stringify(input, null, 2)}</pre>],
    ...(result
      ? ([
          [
            "Call",
            <Link key="call" to="/calls/$id" params={{ id: result.callId }}>
              {result.callId}
            </Link>,
          ],
          ["Last result", <pre key="result">{JSON.stringify(result, null, 2)}</pre>],
        ] satisfies readonly Fact[])
      : []),
  ];
}
