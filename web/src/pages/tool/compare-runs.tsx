import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Answer, reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import { compareValues, type Difference, showPair } from "./compare-values.ts";
import classes from "./tool-page.module.css";

interface CompareRunsProps {
  readonly ids: readonly [string, string];
  readonly close: () => void;
}

type Run = Answer<"runs.get">;

/** What is other in the later of two runs. */
export function CompareRuns({ ids, close }: CompareRunsProps) {
  const [one, other] = [useQuery(reading("runs.get", { id: ids[0] })), useQuery(reading("runs.get", { id: ids[1] }))];
  const failed = [one, other].find(({ error, data }) => error && !data);
  return (
    <section aria-label="Comparison" className={classes.compared}>
      <div className={classes.acts}>
        <h2>Two runs compared</h2>
        <Button size="compact-sm" variant="default" onClick={close}>
          Stop comparing
        </Button>
      </div>
      {failed && <Failure error={failed.error} retry={() => void failed.refetch()} />}
      {!failed && !(one.data && other.data) && <Waiting rows={2} />}
      {one.data && other.data && (
        <Compared runs={one.data.startedAt <= other.data.startedAt ? [one.data, other.data] : [other.data, one.data]} />
      )}
    </section>
  );
}

function Compared({ runs: [one, other] }: { readonly runs: readonly [Run, Run] }) {
  return (
    <>
      <Differences name="Inputs" runs={[one, other]} found={compareValues(one.input, other.input)} />
      <Differences name="Outputs" runs={[one, other]} found={compareValues(one.output, other.output)} />
      {one.error !== other.error && (
        <Differences name="Errors" runs={[one, other]} found={compareValues({ message: one.error }, { message: other.error })} />
      )}
    </>
  );
}

const mostShown = 500;

interface DifferencesProps {
  readonly name: string;
  readonly runs: readonly [Run, Run];
  readonly found: readonly Difference[];
}

function Differences({ name, runs, found }: DifferencesProps) {
  if (found.length === 0) return <p>{name} are the same.</p>;
  return (
    <>
      <ScrollBox className={classes.differences} label={`${name} that differ`}>
        <table>
          <caption>{name}</caption>
          <thead>
            <tr>
              <th scope="col">Member</th>
              {runs.map((run) => (
                <th key={run.id} scope="col">
                  <StatusWord status={run.status} /> <When at={run.startedAt} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, mostShown).map((difference) => (
              <DifferenceRow key={difference.path} difference={difference} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {found.length > mostShown && <p className="dim small">{`The first ${mostShown} of ${found.length} differences.`}</p>}
    </>
  );
}

function DifferenceRow({ difference: { path, kind, one, other } }: { readonly difference: Difference }) {
  const [left, right] = showPair(one, other);
  return (
    <tr>
      <th scope="row">
        <code>{path === "" ? "the whole" : path.slice(1)}</code> <span className="dim small">{kind}</span>
      </th>
      <td>{kind === "added" ? <span className="dim">absent</span> : <pre>{left}</pre>}</td>
      <td>{kind === "removed" ? <span className="dim">absent</span> : <pre>{right}</pre>}</td>
    </tr>
  );
}
