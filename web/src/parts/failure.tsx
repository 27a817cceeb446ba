import { Button } from "@mantine/core";
import { wordsOf } from "../api/words.ts";
import classes from "./failure.module.css";

/** What happened and what to do; `kept` says what is not lost. */
export function Failure({ error, retry, kept }: { readonly error: unknown; readonly retry?: () => void; readonly kept?: string }) {
  return (
    <div className={classes.failure} role="alert">
      <p>{wordsOf(error)}</p>
      {kept !== undefined && <p className="small">{kept}</p>}
      {retry && (
        <Button size="compact-sm" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}
