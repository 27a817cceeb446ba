import { useId } from "react";
import { visibleText } from "../api/client.ts";
import { DecisionWord } from "../parts/decision-word.tsx";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { When } from "../parts/when.tsx";
import { AnswerArea } from "./answer-area.tsx";
import classes from "./approval-card.module.css";
import { exactParts } from "./exact-text.ts";
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
  const { card, isSettled } = useSettled();
  const { isSeen, watch, look } = useSeenToEnd();
  const isOpen = stored.answer === undefined && stored.expiredAt === undefined && record.expiresAt > Date.now();
  return (
    <article ref={card} className={classes.card} aria-labelledby={titleId} data-approval={record.id}>
      <header className={classes.head}>
        <h2 id={titleId}>{headlineOf(record)}</h2>
        <span className="dim small">
          {isOpen ? "expires" : "was to expire"} <When at={record.expiresAt} />
        </span>
      </header>
      <p className="dim small">{askedBy(stored)}</p>
      <div className={classes.parts}>
        {exactParts(record.input).map(({ name, text }) => (
          <div key={name}>
            <h3 className={classes.name}>{name}</h3>
            <ScrollBox label={name} ref={watch(name)} className={classes.exact} onScroll={(event) => look(name, event.currentTarget)}>
              <pre>{text}</pre>
            </ScrollBox>
          </div>
        ))}
      </div>
      <Reasons stored={stored} />
      <Quorum stored={stored} />
      {isOpen && <Remembering id={record.id} />}
      {isOpen ? (
        <AnswerArea stored={stored} isSeen={isSeen} isSettled={isSettled} onAnswered={onAnswered} />
      ) : (
        <p className={classes.closed} role="status">
          {endingOf(stored)}
        </p>
      )}
    </article>
  );
}

/** Without the input, which stands below whole. */
function headlineOf({ summary, input }: Stored["record"]): string {
  const [words = ""] = summary.split(`: ${JSON.stringify(input).slice(0, 1)}`);
  return visibleText(`${words}?`);
}

function askedBy({ record: { principal, session, createdAt } }: Stored): string {
  const { actor, agent, onBehalfOf, door } = principal;
  const who = agent ?? actor.id;
  const forWhom = onBehalfOf ?? (agent === undefined ? undefined : actor.id);
  const at = new Date(createdAt).toLocaleTimeString();
  return visibleText(
    [
      who,
      ...(forWhom !== undefined && forWhom !== who ? [`for ${forWhom}`] : []),
      `by ${door}`,
      `session ${session}`,
      `asked at ${at}`,
    ].join(" · "),
  );
}

/** Every part that asks, with its rule: the exact simple command of a line where there are several. */
function Reasons({ stored: { record } }: { readonly stored: Stored }) {
  const { decision, standsFor = [] } = record;
  const asking = decision.findings.filter(({ effect }) => effect !== "allow");
  return (
    <ul className={classes.reasons} aria-label="Why it asks">
      {(asking.length > 0 ? asking : [decision]).map(({ effect, rule, layer, reason, subject, risk }) => (
        <li key={`${rule} ${subject ?? ""} ${reason}`}>
          {subject !== undefined && <code>{visibleText(subject)}</code>} <DecisionWord effect={effect} />{" "}
          <span className="dim small">{[layer, rule, risk && `${risk} risk`].filter(Boolean).join(" · ")}</span>
          <p>{visibleText(reason)}</p>
        </li>
      ))}
      {standsFor.map((each) => (
        <li key={JSON.stringify(each)} className="dim small">
          {visibleText(wordsOfMachine(each))}
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
  const said = approvals.map(({ by }) => by.id).join(", ");
  return (
    <p>
      {approvals.length} of {record.quorum.approvers} people said yes{said && `: ${said}`}.
    </p>
  );
}

/** Who said what to it, when. */
export function endingOf({ answer, expiredAt, record }: Stored): string {
  if (answer) {
    const words = {
      approve: "approved it",
      deny: "denied it",
      edit: "approved it with another input",
      respond: "answered in its place",
    } as const;
    const message = "message" in answer.outcome && answer.outcome.message ? `: ${visibleText(answer.outcome.message)}` : "";
    return `${answer.by.id} ${words[answer.outcome.kind]} at ${new Date(answer.at).toLocaleTimeString()}${message}.`;
  }
  return `Nobody answered before it expired at ${new Date(expiredAt ?? record.expiresAt).toLocaleTimeString()}. The caller can ask again.`;
}
