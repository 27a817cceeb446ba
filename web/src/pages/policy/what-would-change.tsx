import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useUrl } from "../../app/use-url.ts";
import type { Members } from "../../editor/document-text.ts";
import { Flips } from "./flips.tsx";
import classes from "./policy-page.module.css";

const counts = [100, 1_000, 10_000] as const;

interface Asked {
  readonly document: Members;
  readonly limit: number;
}

/** Which of the last calls would go differently under the text. */
export function WhatWouldChange({ document }: { readonly document: Members | undefined }) {
  const [url, change] = useUrl();
  const limit = counts.find((count) => String(count) === url.calls) ?? counts[1];
  const [asked, ask] = useState<Asked>();
  const isOld = asked !== undefined && (asked.limit !== limit || JSON.stringify(asked.document) !== JSON.stringify(document));
  return (
    <section className={classes.section}>
      <h2>What would change</h2>
      <div className={classes.bar}>
        <NativeSelect
          size="xs"
          aria-label="Calls to decide again"
          data={counts.map((count) => ({ value: String(count), label: `the last ${count.toLocaleString("en")} calls` }))}
          value={String(limit)}
          onChange={(event) => change({ calls: event.currentTarget.value }, { replace: true })}
        />
        <Button size="xs" variant="default" disabled={!document} onClick={() => document && ask({ document, limit })}>
          Simulate
        </Button>
        {isOld && <span className="dim small">The text or the number changed since. Simulate again.</span>}
      </div>
      {asked ? (
        <Flips document={asked.document} limit={asked.limit} />
      ) : (
        <p className="dim small">Calls of the log are decided again with this text. Nothing runs, and nothing is put in force.</p>
      )}
    </section>
  );
}
