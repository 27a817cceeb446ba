import { wordsOfClock } from "../parts/clock.ts";
import classes from "./live-line.module.css";
import type { Live } from "./use-live.ts";

/** Says when what is shown is not what is. */
export function LiveLine({ live: { lostAt, isOutdated } }: { readonly live: Live }) {
  const clock = wordsOfClock();
  return (
    <div role="status" className={classes.line}>
      {lostAt !== undefined && <p>As of {new Date(lostAt).toLocaleTimeString()}, reconnecting. What you type is kept.</p>}
      {lostAt === undefined && clock !== undefined && <p>{clock}</p>}
      {lostAt === undefined && isOutdated && (
        <p>
          A newer console is served.{" "}
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
    </div>
  );
}
