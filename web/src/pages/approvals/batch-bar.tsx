import { Button } from "@mantine/core";
import { useState } from "react";
import { api, visibleText } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { wordsOf } from "../../api/words.ts";
import { ExactView, useAreLoading, usePreview } from "../../approvals/exact-view.tsx";
import { type SeenToEnd, useSeenToEnd } from "../../approvals/seen-to-end.ts";
import { useSettled } from "../../approvals/settled-clicks.ts";
import type { Stored } from "../../approvals/stored.ts";
import classes from "./approvals-page.module.css";
import type { Batch } from "./batches.ts";

/** Several like calls that may be answered together. */
export function BatchBar({ batch }: { readonly batch: Batch }) {
  const { tool, rule, items } = batch;
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={classes.batch} aria-label={`${items.length} calls of ${tool} that ask for the same reason`}>
      <p>
        {items.length} calls of <code>{tool}</code> ask by the same rule, <code>{rule}</code>.{" "}
        <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Close" : "Answer them together"}
        </Button>
      </p>
      {isOpen && <Together items={items} />}
    </section>
  );
}

/** Each call is shown as its card shows it, whole, and each gets an answer of its own. */
function Together({ items }: Pick<Batch, "items">) {
  const { card, onClickCapture } = useSettled();
  const { isSeen, watch } = useSeenToEnd();
  const isLoading = useAreLoading(items.map(({ record }) => record.id));
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const answerAll = async (kind: "approve" | "deny") => {
    if (isBusy) return;
    setBusy(true);
    const failed: string[] = [];
    for (const { record } of items)
      await api()
        .operate("approvals.answer", { id: record.id, outcome: { kind } })
        .catch((error: unknown) => failed.push(`${visibleText(record.summary)} ${wordsOf(error)}`));
    setProblems(failed);
    setBusy(false);
    void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => String(name).startsWith("approvals.") });
  };
  return (
    <section ref={card} className={classes.together}>
      <ol>
        {items.map((stored) => (
          <Part key={stored.record.id} stored={stored} watch={watch} />
        ))}
      </ol>
      {!isSeen && (
        <p className="small" role="status">
          Read each to its end first: a part of what would run is out of sight above.
        </p>
      )}
      <div className={classes.acts} data-acts onClickCapture={onClickCapture}>
        <Button
          disabled={isBusy || isLoading || !isSeen}
          onClick={() => void answerAll("approve")}
        >{`Approve these ${items.length}, once each`}</Button>
        <Button disabled={isBusy} variant="default" onClick={() => void answerAll("deny")}>{`Deny these ${items.length}`}</Button>
      </div>
      {problems.map((problem) => (
        <p key={problem} role="alert">
          {problem}
        </p>
      ))}
    </section>
  );
}

function Part({ stored, watch }: { readonly stored: Stored } & Pick<SeenToEnd, "watch">) {
  const { id, summary } = stored.record;
  const preview = usePreview(id, true);
  return (
    <li>
      <h2>{visibleText(summary)}</h2>
      <ExactView stored={stored} preview={preview} watch={watch} />
    </li>
  );
}
