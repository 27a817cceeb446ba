import { Button } from "@mantine/core";
import { useState } from "react";
import { api, visibleText } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { wordsOf } from "../../api/words.ts";
import { exactParts } from "../../approvals/exact-text.ts";
import { useSettled } from "../../approvals/settled-clicks.ts";
import classes from "./approvals-page.module.css";
import type { Batch } from "./batches.ts";

/** Several like calls: each is shown whole, and each gets an answer of its own. */
export function BatchBar({ batch: { tool, rule, items } }: { readonly batch: Batch }) {
  const { card, isSettled } = useSettled();
  const [isOpen, setOpen] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const answerAll = async (kind: "approve" | "deny") => {
    if (!isSettled() || isBusy) return;
    setBusy(true);
    const failed: string[] = [];
    for (const { record } of items)
      await api()
        .operate("approvals.answer", { id: record.id, outcome: { kind } })
        .catch((error: unknown) => failed.push(`${record.summary}: ${wordsOf(error)}`));
    setProblems(failed);
    setBusy(false);
    void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => String(name).startsWith("approvals.") });
  };
  return (
    <section ref={card} className={classes.batch} aria-label={`${items.length} calls of ${tool} that ask for the same reason`}>
      <p>
        {items.length} calls of <code>{tool}</code> ask by the same rule, <code>{rule}</code>.{" "}
        <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Close" : "Answer them together"}
        </Button>
      </p>
      {isOpen && (
        <>
          <ul>
            {items.map(({ record }) => (
              <li key={record.id}>
                {visibleText(record.summary)}
                <pre>
                  {exactParts(record.input)
                    .map(({ name, text }) => `${name}: ${text}`)
                    .join("\n")}
                </pre>
              </li>
            ))}
          </ul>
          <p>
            <Button disabled={isBusy} onClick={() => void answerAll("approve")}>{`Approve these ${items.length}, once each`}</Button>{" "}
            <Button disabled={isBusy} variant="default" onClick={() => void answerAll("deny")}>{`Deny these ${items.length}`}</Button>
          </p>
        </>
      )}
      {problems.map((problem) => (
        <p key={problem} role="alert">
          {problem}
        </p>
      ))}
    </section>
  );
}
