import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { mod } from "../../app/mod-key.ts";
import classes from "./tool-page.module.css";
import type { RunState } from "./use-run.ts";

interface RunFootProps {
  readonly state: RunState;
  readonly run: () => void;
  readonly retry: () => void;
  readonly cancel: () => void;
  readonly clear: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Stays in sight below the form. */
export function RunFoot({ state, run, retry, cancel, clear, children }: RunFootProps) {
  return (
    <div className={classes.foot}>
      <div className={classes.decision} aria-live="polite">
        {state.status === "lost" ? (
          <p role="alert">
            The connection was lost, so nobody here knows whether it ran. The page asks again when the server answers: the same press runs
            once, whatever happened to the first.
          </p>
        ) : (
          children
        )}
      </div>
      <div className={classes.acts}>
        {state.status === "running" ? (
          <Button variant="default" onClick={cancel} disabled={state.isCancelling === true}>
            {state.isCancelling ? "Cancelling …" : "Cancel"}
          </Button>
        ) : state.status === "lost" ? (
          <Button onClick={retry}>Ask now</Button>
        ) : (
          <>
            <Button variant="subtle" onClick={clear}>
              Clear
            </Button>
            <Button onClick={run} aria-keyshortcuts="Control+Enter Meta+Enter">
              Run <span className={classes.key}>{mod} ↵</span>
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
