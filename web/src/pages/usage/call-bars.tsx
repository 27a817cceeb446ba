import type { Item } from "../../api/queries.ts";
import classes from "./usage-page.module.css";

const most = 24;

const wordsOfCalls = (calls: number, bad: number) => `${calls} ${calls === 1 ? "call" : "calls"}${bad > 0 ? `, ${bad} not done` : ""}`;

/** The share of calls, a bar each: done and not. The table has the same numbers. */
export function CallBars({ items }: { readonly items: readonly Item<"usage.get">[] }) {
  const shown = items.slice(0, most);
  const longest = Math.max(...shown.map(({ calls }) => calls), 1);
  return (
    <ul className={classes.bars} aria-label="Calls">
      {shown.map(({ key, calls, failed, denied, unknown }) => (
        <li key={key}>
          <span className={classes.name}>{key === "" ? "none" : key}</span>
          <span className={classes.track} aria-hidden>
            <span className={classes.bar} style={{ width: `${(calls / longest) * 100}%` }}>
              <span className={classes.bad} style={{ width: `${((failed + denied + unknown) / Math.max(calls, 1)) * 100}%` }} />
            </span>
          </span>
          <span className="small dim">{wordsOfCalls(calls, failed + denied + unknown)}</span>
        </li>
      ))}
    </ul>
  );
}
