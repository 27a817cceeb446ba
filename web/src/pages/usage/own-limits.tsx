import { useQuery } from "@tanstack/react-query";
import { type Item, reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import classes from "./usage-page.module.css";

/** What the person may have, and how much of it is used: a meter each. */
export function OwnLimits() {
  const { data, error, refetch } = useQuery(reading("usage.limits", {}));
  return (
    <section className={classes.usage} aria-labelledby="limits">
      <h2 id="limits">Your limits</h2>
      <p className="dim">Your keys count, and agents that work for you.</p>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      <ul className={classes.limits} aria-label="Limits">
        {data?.items.map((item) => (
          <Limit key={item.limit} item={item} />
        ))}
      </ul>
    </section>
  );
}

function Limit({ item: { limit, counts, used, most } }: { readonly item: Item<"usage.limits"> }) {
  const words = `${used.toLocaleString("en")} of ${most.toLocaleString("en")}`;
  return (
    <li>
      <label htmlFor={`limit-${limit}`}>{counts}</label>
      <meter id={`limit-${limit}`} className={classes.meter} max={most} high={0.9 * most} value={used}>
        {words}
      </meter>
      <span className="small dim">{words}</span>
    </li>
  );
}
