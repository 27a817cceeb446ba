import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { visibleText } from "../api/client.ts";
import { DecisionWord } from "../parts/decision-word.tsx";
import { ForeignLine } from "../parts/foreign-line.tsx";
import { LiveWhen } from "../parts/when.tsx";
import { WhyButton } from "../why/why-button.tsx";
import { AnswerArea } from "./answer-area.tsx";
import classes from "./approval-card.module.css";
import { endingOf, useIsWaiting } from "./ending.ts";
import { ExactView, usePreview } from "./exact-view.tsx";
import { reasonsOf } from "./reasons-of.ts";
import { Remembering } from "./remembering.tsx";
import { useSeenToEnd } from "./seen-to-end.ts";
import { useSettled } from "./settled-clicks.ts";
import type { Stored } from "./stored.ts";

interface ApprovalCardProps {
  readonly stored: Stored;
  readonly onAnswered?: () => void;
}

/** A call that waits for a person: what exactly would run, who asks, and why; then what can be said to it. */
export function ApprovalCard({ stored, onAnswered }: ApprovalCardProps) {
  const { record } = stored;
  const titleId = useId();
  const { card, onClickCapture } = useSettled();
  const { isSeen, watch } = useSeenToEnd();
  const isOpen = useIsWaiting(stored);
  const preview = usePreview(record.id, isOpen);
  return (
    <article ref={card} className={classes.card} aria-labelledby={titleId} data-approval={record.id} tabIndex={-1}>
      <header className={classes.head}>
        <h2 id={titleId}>{visibleText(record.summary)}</h2>
        <span className="dim small">
          {isOpen ? "expires" : "was to expire"} <LiveWhen at={record.expiresAt} />
        </span>
      </header>
      <p className="dim small">
        {askedBy(stored)} · asked <LiveWhen at={record.createdAt} />
        {record.place && (
          <>
            {" · "}
            <Link to="/calls/$id" params={{ id: record.place.root }}>
              inside {record.place.chain.join(", ")}
            </Link>
          </>
        )}
        {record.quorum && ` · ${stored.approvals?.length ?? 0} of ${record.quorum.approvers} people said yes`}
      </p>
      <ExactView stored={stored} preview={preview} watch={watch} />
      <ForeignLine foreign={[record, ...record.decision.findings].find(({ foreign }) => foreign)?.foreign} />
      <Reasons stored={stored} />
      <div className={classes.why}>
        <WhyButton about={{ approval: record.id }} name={record.tool} />
      </div>
      <Quorum stored={stored} />
      {isOpen && <Remembering id={record.id} />}
      {isOpen ? (
        <AnswerArea {...{ stored, isSeen, onClickCapture, onAnswered }} isLoading={preview.isLoading} />
      ) : (
        <p className={classes.closed} role="status">
          {endingOf(stored)}
        </p>
      )}
    </article>
  );
}

function askedBy({ record: { principal, session } }: Stored): string {
  const { actor, agent, onBehalfOf, door } = principal;
  const who = agent ?? actor.id;
  const forWhom = onBehalfOf ?? (agent === undefined ? undefined : actor.id);
  return visibleText(
    [who, ...(forWhom !== undefined && forWhom !== who ? [`for ${forWhom}`] : []), `by ${door}`, `session ${session}`].join(" · "),
  );
}

/** Every part that asks, with its rule: the exact simple command of a line where there are several. */
function Reasons({ stored: { record } }: { readonly stored: Stored }) {
  const { decision, standsFor = [] } = record;
  const asking = decision.findings.filter(({ effect }) => effect !== "allow");
  return (
    <ul className={classes.reasons} aria-label="Why it asks">
      {reasonsOf(asking.length > 0 ? asking : [decision]).map(({ finding: { effect, rule, layer, reason, risk }, subjects }) => (
        <li key={`${rule} ${effect} ${risk ?? ""} ${reason}`}>
          {subjects.map((subject) => (
            <code key={subject}>{visibleText(subject)}</code>
          ))}
          <DecisionWord effect={effect} />{" "}
          <span className="dim small">{[layer, rule, risk && `${risk} risk`].filter(Boolean).join(" · ")}</span>
          <p>{visibleText(reason)}</p>
        </li>
      ))}
      {[...new Set(standsFor.map(wordsOfMachine))].map((words) => (
        <li key={words} className="dim small">
          {visibleText(words)}
        </li>
      ))}
    </ul>
  );
}

/** What its words came to on the machine where it was asked. */
function wordsOfMachine({ folder, programs = [] }: NonNullable<Stored["record"]["standsFor"]>[number]): string {
  const found = programs.map(({ word, path }) => `${word} is ${path ?? "not found there"}`);
  return [...(folder === undefined ? [] : [`in ${folder}`]), ...found].join(" · ");
}

function Quorum({ stored: { record, approvals = [] } }: { readonly stored: Stored }) {
  if (!record.quorum) return null;
  const { approvers, permissions, notRequester } = record.quorum;
  const said = approvals.map(({ by, at }) => `${visibleText(by.id)} at ${new Date(at).toLocaleTimeString()}`).join(", ");
  return (
    <p className="small">
      {approvals.length} of {approvers} people said yes{said && `: ${said}`}.
      {permissions.length > 0 && ` Each needs the permission ${permissions.join(", ")}.`}
      {notRequester && " The one who asked does not count."}
    </p>
  );
}
