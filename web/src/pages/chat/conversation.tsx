import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { reading, write } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useCardKeys } from "../../approvals/use-card-keys.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import classes from "./chat-page.module.css";
import { Composer } from "./composer.tsx";
import { PersonMessage } from "./person-message.tsx";
import { SharedWith } from "./shared-with.tsx";
import { isOpen, mostTurns, type Turn, useConversation, useSend } from "./use-conversation.ts";
import { useEndInSight } from "./use-end-in-sight.ts";

// With the stream, cards and results, which are as much as everything else: a message is typed meanwhile.
const loadTurns = () => import("./turn-view.tsx");
const TurnView = lazy(async () => ({ default: (await loadTurns()).TurnView }));

/** The agent of a tenant that has made none. */
const usualAgent = "assistant";

interface ConversationProps {
  /** Undefined for one that the first message begins. */
  readonly id: string | undefined;
  readonly onBegun: (conversation: string) => void;
}

/** The turns of a conversation, with what is typed next. */
export function Conversation({ id, onBegun }: ConversationProps) {
  const { session, turns, said, queued, isLoading, error, retry } = useConversation(id);
  const [chosen, choose] = useState(usualAgent);
  const agent = session?.agent ?? turns.at(-1)?.agent ?? chosen;
  const { send, pending, ...sending } = useSend({ agent, conversation: id, said, queued, turns, onBegun });
  const { stop, stopError } = useStop();
  const content = useEndInSight();
  const { me, may } = useMe();
  useCardKeys();
  // A turn that cannot be shown tells it.
  useEffect(() => void loadTurns().catch(() => undefined), []);
  if (error && isLoading) return <Failure error={error} retry={retry} />;
  const open = turns.find(isOpen);
  return (
    <div className={classes.conversation}>
      {session && <SharedWith session={session} />}
      <div ref={content} className={classes.turns}>
        {isLoading && <Waiting />}
        {id === undefined && <NewConversation agent={chosen} choose={choose} />}
        {turns.length === mostTurns && <p className="dim small">{`The last ${mostTurns} turns. Earlier ones are not shown.`}</p>}
        <Suspense fallback={<Waiting />}>
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} said={said.get(turn.id) ?? []} />
          ))}
        </Suspense>
        {queued.map(({ id: number, turn, text, files }) => (
          <PersonMessage key={`${turn} ${number}`} text={text} files={files} note={queuedNote} />
        ))}
        {pending.map(({ turn, place, text, isQueued }) => (
          <PersonMessage key={`${turn} ${place}`} text={text} {...(isQueued && { note: queuedNote })} />
        ))}
      </div>
      {stopError !== undefined && <Failure error={stopError} />}
      {!me || may("agents:run") ? (
        <Composer agent={agent} send={send} stop={open && (() => stop(open.id))} {...sending}>
          {open && wordsOf(open)}
        </Composer>
      ) : (
        <p role="status">Sending messages needs the permission agents:run. Ask an administrator of the tenant for a role that has it.</p>
      )}
    </div>
  );
}

const queuedNote = "waits for the next step";

function wordsOf({ agent, state }: Turn): string {
  const does = state === "waiting" ? "waits for a person to answer" : "works";
  return `${agent} ${does}. A message that you send now waits for the next step.`;
}

function useStop() {
  const [stopError, setError] = useState<unknown>();
  const stop = async (id: string) => {
    setError(undefined);
    await write("turns.cancel", { id }, ["turns.", "approvals."]).catch(setError);
  };
  return { stop, stopError };
}

/** What to type, and to which agent. */
function NewConversation({ agent, choose }: { readonly agent: string; readonly choose: (agent: string) => void }) {
  const { data } = useQuery({ ...reading("agents.list", {}), retry: false });
  const agents = data?.items.map((each) => each.agent) ?? [];
  return (
    <>
      <Empty title="Type what the agent is to do">
        Enter sends it. The agent works with the tools that it may use; a call that asks waits here for your answer. A server without a
        model answers with the demo model, which is no AI: it makes the calls that you name, such as{" "}
        <code>{'call file_list {"path": "."}'}</code>.
      </Empty>
      {agents.length > 0 && (
        <NativeSelect
          label="Agent"
          className={classes.agent}
          data={[...new Set([usualAgent, ...agents])]}
          value={agent}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      )}
    </>
  );
}
