import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { type Answer, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { endingOf, useIsWaiting } from "../../approvals/ending.ts";
import type { Stored } from "../../approvals/stored.ts";
import { toldBy } from "../call/call-stages.ts";
import { useStory } from "../call/stage-list.tsx";

interface AwaitProps {
  /** What waits: the call that was asked for, or one that made it. */
  readonly callId: string;
  readonly resume: (approvalId: string) => void;
  readonly leave?: () => void;
}

/** The call goes on when somebody has answered; nobody has to do more on this page. */
export function AwaitAnswer({ id, ...props }: AwaitProps & { readonly id: string }) {
  const { data } = useQuery({ ...reading("approvals.get", { id }), staleTime: 0 });
  return data && <Awaited key={id} stored={data} {...props} />;
}

/** Of a call that was made in this form before the page was opened. */
export function AwaitAnswerOf(props: AwaitProps) {
  const { me } = useMe();
  const { data: run } = useQuery(reading("runs.get", { id: props.callId }));
  const isOwn = run?.door === "form" && run.caller.kind === me?.actor.kind && run.caller.id === me.actor.id;
  return isOwn && run.status === "pending" && <AwaitAnswerOfRun run={run} {...props} />;
}

function AwaitAnswerOfRun({ run, ...props }: AwaitProps & { readonly run: Answer<"runs.get"> }) {
  const { data } = useStory(run);
  const id = data?.items.map(toldBy).findLast(({ approval }) => approval !== undefined)?.approval;
  return id !== undefined && <AwaitAnswer id={id} {...props} />;
}

function Awaited({ stored, callId, resume, leave }: AwaitProps & { readonly stored: Stored }) {
  const { id } = stored.record;
  const next = useIsWaiting(stored) ? "wait" : nextOf(stored, callId);
  useEffect(() => {
    if (next === "resume") resume(id);
    if (next === "leave") leave?.();
  }, [next, id, resume, leave]);
  if (next === "expired") return <p>{endingOf(stored)}</p>;
  if (next !== "wait") return null;
  return (
    <p>
      It waits for a person. <Link to="/approvals">Answer it under Approvals</Link>; it then runs here by itself.
    </p>
  );
}

/** A call inside this one lets it go on, however it was answered. Where another process goes on, the log tells of it. */
function nextOf({ record, answer, claimedAt }: Stored, callId: string): "resume" | "leave" | "expired" {
  if (record.place?.root === callId) return "resume";
  if (!answer) return "expired";
  return claimedAt === undefined ? "resume" : "leave";
}
