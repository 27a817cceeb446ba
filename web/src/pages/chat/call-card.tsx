import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { CallResult } from "../../api/client.ts";
import { reading } from "../../api/queries.ts";
import { ApprovalCard } from "../../approvals/approval-card.tsx";
import { endingOf } from "../../approvals/ending.ts";
import { ResultView } from "../../result/result-view.tsx";
import { StatusWord } from "../../result/status-word.tsx";
import { Text, Value } from "../../result/value-view.tsx";
import { WhyButton } from "../../why/why-button.tsx";
import classes from "./chat-page.module.css";
import type { ShownCall } from "./ui-message.ts";

interface CallCardProps {
  readonly call: ShownCall;
  readonly isOver: boolean;
  /** Shows the turn of a sub-agent that the call ran, or may still run. */
  readonly showTurn: (id: string, mayRun: boolean) => ReactNode;
}

/** A call of the agent: what it was given, what it waits for and what came of it. */
export function CallCard({ call, isOver, showTurn }: CallCardProps) {
  const { data } = useQuery(reading("tools.list", { decisions: true }));
  const tool = data?.items.find(({ name }) => name === call.tool);
  const { result } = call;
  const title = tool?.title ?? call.title;
  const ran = ranBy(result);
  const turn = call.turn ?? ran.turn;
  return (
    <article className={classes.call} aria-label={`Call of ${call.tool}`}>
      <header className={classes.callHead}>
        <h3>{title ?? call.tool}</h3>
        {title !== undefined && <code className="dim">{call.tool}</code>}
        {!result && <StatusWord status={statusOf(call, isOver)} />}
        {result && <WhyButton about={{ call: result.callId }} name={call.tool} />}
      </header>
      {call.input === undefined ? <p className="dim">The agent writes the input.</p> : <Value value={call.input} />}
      {call.approval !== undefined && turn === undefined && <Asked id={call.approval} hasEnded={result !== undefined} />}
      {result ? (
        <ResultView result={result} tool={tool ?? { outputSchema: {}, presentation: {} }} />
      ) : (
        turn === undefined && call.progress !== undefined && call.progress !== "" && <Text text={call.progress} />
      )}
      {turn !== undefined && showTurn(turn, result ? ran.state === "running" : !isOver)}
      {call.error !== undefined && <p>{call.error}</p>}
    </article>
  );
}

/** The turn that an output names. */
function ranBy(result: CallResult | undefined): { readonly turn?: string; readonly state?: unknown } {
  const output = result?.status === "done" ? result.output : undefined;
  if (typeof output !== "object" || output === null || !("turn" in output) || typeof output.turn !== "string") return {};
  return { turn: output.turn, ...("state" in output && { state: output.state }) };
}

/** The card of the inbox; once the call has ended, who said what. */
function Asked({ id, hasEnded }: { readonly id: string; readonly hasEnded: boolean }) {
  const { data: stored, refetch } = useQuery(reading("approvals.get", { id }));
  if (!stored) return null;
  if (hasEnded) return <p className="dim small">{endingOf(stored)}</p>;
  return <ApprovalCard stored={stored} onAnswered={() => void refetch()} />;
}

/** What a sub-agent waits for is on the cards of its own calls. */
function statusOf({ approval, turn, error }: ShownCall, isOver: boolean) {
  if (error !== undefined) return "failed";
  if (isOver) return "cancelled";
  return approval === undefined || turn !== undefined ? "running" : "pending";
}
