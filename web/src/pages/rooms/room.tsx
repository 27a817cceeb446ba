import { Button, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type Answer, reading, write } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Failure } from "../../parts/failure.tsx";
import { ForeignLine } from "../../parts/foreign-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { linesOf, textOf, textOr } from "../../parts/form-values.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import { peopleField } from "./people-field.ts";
import classes from "./rooms-page.module.css";

type WholeRoom = Answer<"rooms.get">;
type RoomEvent = WholeRoom["events"][number];

/** Not all that changes in a room comes with an event of the log. */
const againMs = 3_000;

interface RoomProps {
  readonly id: string;
  readonly onDeleted: () => void;
}

/** A room: what its agent said, and its events. */
export function Room({ id, onDeleted }: RoomProps) {
  const [isGoing, setGoing] = useState(false);
  const { data, error, refetch } = useQuery({
    ...reading("rooms.get", { id }),
    enabled: !isGoing,
    refetchInterval: ({ state }) => state.data !== undefined && (state.data.isWorking || state.data.open > 0) && againMs,
  });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Waiting rows={4} />;
  const remove = async () => {
    setGoing(true);
    try {
      await write("rooms.delete", { id }, ["rooms.list"]);
    } catch (failure) {
      setGoing(false);
      throw failure;
    }
    onDeleted();
  };
  return (
    <article className={classes.room} aria-label={data.title}>
      <RoomHead room={data} remove={remove} />
      <Post id={id} agent={data.agent} />
      <Said room={data} />
      <section aria-label="Events" className={classes.part}>
        <h3>Events</h3>
        {data.events.length === 0 && <p className="dim">What is posted appears here.</p>}
        <ol className={classes.rows}>
          {data.events.map((event) => (
            <EventRow key={event.event} room={id} event={event} />
          ))}
        </ol>
      </section>
    </article>
  );
}

function RoomHead({ room, remove }: { readonly room: WholeRoom; readonly remove: () => Promise<void> }) {
  const { id, title, agent, people, isWorking, error, madeBy, agentGone } = room;
  const { me } = useMe();
  const [isDeleting, setDeleting] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const isMaker = me?.actor.kind === madeBy.kind && me.actor.id === madeBy.id;
  return (
    <header className={classes.part}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {isMaker && (
          <Button size="compact-sm" variant="default" onClick={() => setChanging(true)}>
            Change
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      <p className="dim small">{[agent, ...(people.length > 0 ? [`with ${people.join(", ")}`] : [])].join(" ")}</p>
      {agentGone && <p>{`Agent ${agent} was deleted: events go to people.`}</p>}
      <p role="status">{isWorking ? `${agent} is at work.` : error === undefined ? "" : `The last cycle did not go well: ${error}`}</p>
      {isChanging && (
        <FormDialog
          title="Change the room"
          act="Save the room"
          fields={[
            { name: "title", label: "Title", value: title },
            { ...peopleField, value: people.filter((each) => each !== madeBy.id).join("\n") },
          ]}
          close={() => setChanging(false)}
          submit={(said) => write("rooms.update", { id, title: textOf(said, "title"), people: linesOf(said, "people") })}
        />
      )}
      {isDeleting && (
        <FormDialog title={`Delete the room ${title}?`} act="Delete the room" fields={[]} close={() => setDeleting(false)} submit={remove}>
          <p>Its events and messages are gone then, and what its agent does is stopped.</p>
        </FormDialog>
      )}
    </header>
  );
}

/** What could not be posted stays. */
function Post({ id, agent }: { readonly id: string; readonly agent: string }) {
  const { me, may } = useMe();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  if (me && !may("agents:run")) return <p>Posting needs the permission agents:run.</p>;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await write("rooms.post", { id, message: text });
      setText("");
      setProblem(undefined);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return (
    <form className={classes.post} onSubmit={(event) => void submit(event)}>
      <Textarea
        label={`An event for ${agent}`}
        placeholder="What happened, or what is to be done"
        rows={3}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {problem !== undefined && <Failure error={problem} />}
      <Button type="submit" disabled={isBusy || text.trim() === ""}>
        Post
      </Button>
    </form>
  );
}

function Said({ room: { agent, messages } }: { readonly room: WholeRoom }) {
  if (messages.length === 0) return null;
  return (
    <section aria-label={`What ${agent} says`} className={classes.part}>
      <h3>{`What ${agent} says`}</h3>
      <ol className={classes.rows}>
        {messages.map(({ message, text, to, at, foreign }) => (
          <li key={message} className={classes.row}>
            <p className={classes.words}>{text}</p>
            <ForeignLine foreign={foreign} />
            <p className="dim small">
              {to !== undefined && `to ${to} · `}
              <When at={at} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

const wordsOfState: Readonly<Record<RoomEvent["state"], string>> = {
  queued: "waits",
  taken: "at work",
  for_person: "for a person",
  done: "done",
  resolved: "resolved",
};

function EventRow({
  room,
  event: { event, text, by, at, state, outcome, closedBy },
}: {
  readonly room: string;
  readonly event: RoomEvent;
}) {
  const [isResolving, setResolving] = useState(false);
  const { me } = useMe();
  const mayResolve = (state === "for_person" || state === "queued") && me?.actor.kind === "user";
  return (
    <li className={classes.row} data-state={state}>
      <p className={classes.words}>{text}</p>
      {outcome !== undefined && <p>{outcome}</p>}
      <p className="dim small">
        {`${event} · `}
        <span className={classes.state}>{wordsOfState[state]}</span>
        {closedBy && ` by ${closedBy.id}`}
        {` · ${by.id}, `}
        <When at={at} />
      </p>
      {mayResolve && (
        <Button size="compact-sm" variant="default" onClick={() => setResolving(true)} aria-label={`Resolve event ${event}`}>
          Resolve
        </Button>
      )}
      {isResolving && (
        <FormDialog
          title={`Resolve event ${event}`}
          act="Resolve the event"
          fields={[{ name: "outcome", label: "What came of it", optional: true }]}
          close={() => setResolving(false)}
          submit={(said) => {
            const words = textOr(said, "outcome");
            return write("rooms.resolve", { id: room, event, ...(words !== undefined && { outcome: words }) });
          }}
        />
      )}
    </li>
  );
}
