import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Failure } from "../../parts/failure.tsx";
import { wordsOfDuration } from "../../parts/when.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import classes from "./call-page.module.css";

/** As many as a tree of calls may have. */
const mostInside = 200;

/** The calls that this one made, in the order in which it made them. */
export function InsideCalls({ id: parent }: { readonly id: string }) {
  const { may } = useMe();
  const { data, error, refetch } = useQuery({ ...reading("runs.list", { parent, limit: mostInside }), enabled: may("log:read") });
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <section className={classes.part} aria-label="Calls inside">
      <h2>Calls inside</h2>
      <ul className={classes.inside}>
        {data.items.toReversed().map(({ id, status, tool, durationMs }) => (
          <li key={id}>
            <StatusWord status={status} />{" "}
            <Link to="/calls/$id" params={{ id }}>
              {tool}
            </Link>
            {durationMs !== null && <span className="dim small"> {wordsOfDuration(durationMs)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
