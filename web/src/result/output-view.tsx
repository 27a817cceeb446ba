import { useState } from "react";
import classes from "./result.module.css";
import { SpecView } from "./spec-view.tsx";
import { type ReadSchema, Text, Value } from "./value-view.tsx";
import type { Artifact, ViewSpec } from "./view-spec.ts";

interface OutputViewProps {
  readonly output: unknown;
  /** Of the output. */
  readonly schema?: unknown;
  /** How its tool wants it read. */
  readonly view?: ViewSpec | undefined;
  /** What the call saved. */
  readonly artifacts?: readonly Artifact[];
}

/** What a tool answered as its view says, else in the shape that its value has; and as JSON. */
export function OutputView({ output, schema, view, artifacts = [] }: OutputViewProps) {
  const [isJson, setJson] = useState(false);
  return (
    <div className={classes.output}>
      {isJson ? (
        <Text text={JSON.stringify(output, null, 2) ?? ""} />
      ) : view ? (
        <SpecView view={view} output={output} artifacts={artifacts} />
      ) : (
        <Value value={output} schema={(schema ?? {}) as ReadSchema} />
      )}
      <button type="button" className={classes.json} aria-pressed={isJson} onClick={() => setJson(!isJson)}>
        JSON
      </button>
    </div>
  );
}
