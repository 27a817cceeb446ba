import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { MarkdownText } from "../../result/value-view.tsx";
import { CallCard } from "./call-card.tsx";
import classes from "./chat-page.module.css";
import { PersonMessage } from "./person-message.tsx";
import type { Said } from "./said-messages.ts";
import type { Shown } from "./ui-message.ts";
import { isOpen, lookMs, type Turn } from "./use-conversation.ts";
import { useSubTurn } from "./use-sub-turn.ts";
import { useTurn, type Watched } from "./use-turn.ts";

/** The turn of a sub-agent: open while it works, else folded until somebody looks at it. */
function SubTurn({ id, mayRun }: { readonly id: string; readonly mayRun: boolean }) {
  const [isUnfolded, setUnfolded] = useState<boolean>();
  const { data: turn, error } = useQuery({
    ...reading("turns.get", { id }),
    enabled: mayRun || isUnfolded === true,
    refetchInterval: ({ state: { data } }) => (data && isOpen(data) ? lookMs : false),
  });
  const isShown = isUnfolded ?? (turn !== undefined && isOpen(turn));
  return (
    <details className={classes.sub} open={isShown} onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
      <summary>{wordsOf(turn)}</summary>
      {isShown && error && <Failure error={error} />}
      {isShown && turn && <SubTurnView turn={turn} />}
    </details>
  );
}

function wordsOf(turn: Turn | undefined): string {
  if (turn?.state === "waiting") return "The sub-agent waits for a person to answer";
  return turn?.state === "running" ? "The sub-agent works" : "What the sub-agent did";
}

function SubTurnView({ turn }: { readonly turn: Turn }) {
  return <TurnStory turn={turn} said={[]} {...useSubTurn(turn.id, isOpen(turn))} />;
}

interface TurnViewProps {
  readonly turn: Turn;
  readonly said: readonly Said[];
}

/** What people said in a turn, and what the agent did about it. */
export function TurnView(props: TurnViewProps) {
  return <TurnStory {...props} {...useTurn(props.turn.id, isOpen(props.turn))} />;
}

function TurnStory({ turn, said, shown, error }: TurnViewProps & Watched) {
  const { steps } = shown;
  const isOver = shown.isOver || !isOpen(turn);
  const last = steps.length;
  return (
    <article className={classes.turn} aria-label={`Turn of ${turn.agent}`}>
      {[...steps, []].map((parts, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps keep their places
        <Fragment key={at}>
          {said
            .filter(({ after }) => after === at || (at === last && after > last))
            .map(({ sequence, text, files }) => (
              <PersonMessage key={sequence} text={text} files={files} />
            ))}
          {parts.length > 0 && <Step agent={turn.agent} parts={parts} isOver={isOver} />}
        </Fragment>
      ))}
      {!isOver && shown.wait !== undefined && (
        <p className={classes.facts} role="status">
          {shown.wait}
        </p>
      )}
      {error !== undefined && <Failure error={error} />}
      {turn.error && <p className={classes.failed}>{turn.error.message}</p>}
      <p className={classes.facts}>{factsOf(turn).join(" · ")}</p>
    </article>
  );
}

interface StepProps {
  readonly agent: string;
  readonly parts: readonly Shown[];
  readonly isOver: boolean;
}

function Step({ agent, parts, isOver }: StepProps) {
  return (
    <div className={classes.step}>
      <h2 className={classes.who}>{agent}</h2>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts keep their places
        <Part key={index} part={part} isOver={isOver} />
      ))}
    </div>
  );
}

function Part({ part, isOver }: { readonly part: Shown; readonly isOver: boolean }) {
  if (part.kind === "call") return <CallCard call={part} isOver={isOver} showTurn={(id, mayRun) => <SubTurn id={id} mayRun={mayRun} />} />;
  if (part.text === "") return null;
  if (part.kind === "text") return <MarkdownText text={part.text} />;
  return (
    <details className={classes.thoughts}>
      <summary>Thoughts</summary>
      <MarkdownText text={part.text} />
    </details>
  );
}

const cuts: Readonly<Record<NonNullable<Turn["finishReason"]>, string>> = {
  length: "Cut off: the model reached its limit of output tokens",
  "content-filter": "Cut off: the content filter of the provider stopped it",
  error: "Cut off: the server of the model reported an error",
};

function factsOf({ state, usage, limit, finishReason, cancelReason }: Turn): readonly string[] {
  const { models = [], inputTokens = 0, outputTokens = 0, cost, estimated } = usage;
  const count = (tokens: number) => tokens.toLocaleString("en");
  return [
    ...(state === "cancelled" ? [`Stopped: ${cancelReason ?? "the turn was stopped."}`] : []),
    ...(limit === undefined ? [] : [`Ended by its limit of ${limit}`]),
    ...(finishReason === undefined ? [] : [cuts[finishReason]]),
    ...models,
    `${count(inputTokens)} tokens read, ${count(outputTokens)} written${estimated ? " (estimated)" : ""}`,
    ...(cost === undefined ? [] : [`$${cost}`]),
  ];
}
