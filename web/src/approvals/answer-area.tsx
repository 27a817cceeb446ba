import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type MouseEvent, useRef, useState } from "react";
import { RequestError } from "../api/client.ts";
import { type OperationTypes, queries, reading, write } from "../api/queries.ts";
import { useMe } from "../app/use-me.ts";
import { readJson } from "../form/json-text.ts";
import { Failure } from "../parts/failure.tsx";
import classes from "./approval-card.module.css";
import type { Stored } from "./stored.ts";

type Outcome = OperationTypes["approvals.answer"]["input"]["outcome"];
type Way = "remember" | "edit" | "respond" | "deny";

interface AnswerAreaProps {
  readonly stored: Stored;
  /** What would run is not there yet. */
  readonly isLoading: boolean;
  /** Whether all of it was looked at. */
  readonly isSeen: boolean;
  /** Keeps away presses that were meant for something else. */
  readonly onClickCapture: (event: MouseEvent) => void;
  readonly onAnswered?: (() => void) | undefined;
}

/** What can be said to a call that waits. */
export function AnswerArea({ stored, isLoading, isSeen: isRead, onClickCapture, onAnswered }: AnswerAreaProps) {
  const { id } = stored.record;
  const isSeen = isRead && !isLoading;
  const [way, setWay] = useState<Way>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const busy = useRef(false);
  const say = async (outcome: Outcome) => {
    if (busy.current) return;
    busy.current = true;
    setBusy(true);
    try {
      await write("approvals.answer", { id, outcome }, ["approvals.", "grants.", "runs."]);
      onAnswered?.();
    } catch (problem) {
      // Somebody else was first: the card says who.
      if (problem instanceof RequestError) void queries.invalidateQueries({ queryKey: ["approvals.get", { id }] });
      setError(problem);
    } finally {
      busy.current = false;
      setBusy(false);
    }
  };
  const { me } = useMe();
  const mine = stored.approvals?.find(({ by }) => by.kind === me?.actor.kind && by.id === me.actor.id);
  if (mine) return <p role="status">You said yes at {new Date(mine.at).toLocaleTimeString()}. It waits for another person.</p>;
  const isShared = stored.record.quorum !== undefined;
  const open = (next: Way) => setWay(way === next ? undefined : next);
  return (
    <div className={classes.answer} onClickCapture={onClickCapture}>
      {error !== undefined && <Failure error={error} />}
      {!isRead && (
        <p className="small" role="status">
          Read to the end first: a part of what would run is out of sight above.
        </p>
      )}
      <div className={classes.acts} data-acts>
        <Button data-act="approve" disabled={!isSeen || isBusy} onClick={() => void say({ kind: "approve" })}>
          Approve once
        </Button>
        <Button variant="default" disabled={!isSeen} aria-expanded={way === "remember"} onClick={() => open("remember")}>
          Remember
        </Button>
        {!isShared && (
          <Button variant="default" aria-expanded={way === "edit"} onClick={() => open("edit")}>
            Edit
          </Button>
        )}
        <Button variant="default" aria-expanded={way === "respond"} onClick={() => open("respond")}>
          Answer instead
        </Button>
        <Button data-act="deny" variant="default" aria-expanded={way === "deny"} onClick={() => open("deny")}>
          Deny
        </Button>
      </div>
      {way === "remember" && <Remember id={id} isSeen={isSeen} say={say} />}
      {way === "edit" && <Edit stored={stored} isSeen={isSeen} say={say} />}
      {way === "respond" && (
        <Words
          label="What the caller reads as the answer"
          act="Send this answer"
          isNeeded
          say={(message) => say({ kind: "respond", message })}
        />
      )}
      {way === "deny" && (
        <Words label="Why, for the caller" act="Deny it" say={(message) => say({ kind: "deny", ...(message !== "" && { message }) })} />
      )}
    </div>
  );
}

interface WordsProps {
  readonly label: string;
  readonly act: string;
  readonly isNeeded?: boolean;
  readonly say: (message: string) => Promise<void>;
}

function Words({ label, act, isNeeded = false, say }: WordsProps) {
  const [message, setMessage] = useState("");
  return (
    <div className={classes.way}>
      <TextInput label={label} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
      <Button disabled={isNeeded && message.trim() === ""} onClick={() => void say(message.trim())}>
        {act}
      </Button>
    </div>
  );
}

interface WayProps {
  readonly isSeen: boolean;
  readonly say: (outcome: Outcome) => Promise<void>;
}

function Edit({ stored, isSeen, say }: WayProps & { readonly stored: Stored }) {
  const [text, setText] = useState(() => JSON.stringify(stored.record.input, null, 2));
  const read = readJson(text);
  return (
    <div className={classes.way}>
      <Textarea
        label="Run it with this input instead"
        classNames={{ input: "mono" }}
        rows={Math.min(14, text.split("\n").length + 1)}
        spellCheck={false}
        value={text}
        error={"problem" in read ? read.problem : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        disabled={!isSeen || "problem" in read}
        onClick={() => "json" in read && void say({ kind: "edit", input: read.json as never })}
      >
        Approve this input
      </Button>
    </div>
  );
}

const hour = 3_600_000;
const spans = [
  { value: String(hour), label: "1 hour" },
  { value: String(12 * hour), label: "12 hours" },
  { value: String(7 * 24 * hour), label: "7 days" },
  { value: String(30 * 24 * hour), label: "30 days" },
];

function Remember({ id, isSeen, say }: WayProps & { readonly id: string }) {
  const { data } = useQuery(reading("approvals.propose", { id }));
  const [scope, setScope] = useState<string>();
  const [span, setSpan] = useState(String(12 * hour));
  const [uses, setUses] = useState("1000");
  const choices = data?.choices ?? [];
  if (data && "reason" in data) return <p className="dim">{data.reason}</p>;
  const chosen = (scope ?? choices[0]?.scope ?? "session") as "session" | "agent" | "tenant";
  const maxUses = Number(uses);
  const isCount = Number.isInteger(maxUses) && maxUses > 0;
  return (
    <div className={classes.way}>
      <NativeSelect
        label="For whom"
        data={choices.map((choice) => ({ value: choice.scope, label: choice.title }))}
        value={chosen}
        onChange={(event) => setScope(event.currentTarget.value)}
      />
      <NativeSelect label="For how long" data={spans} value={span} onChange={(event) => setSpan(event.currentTarget.value)} />
      <TextInput
        label="For how many calls"
        inputMode="numeric"
        value={uses}
        error={isCount ? undefined : "A whole number, at least 1."}
        onChange={(event) => setUses(event.currentTarget.value)}
      />
      <Button
        disabled={!isSeen || !isCount}
        onClick={() => void say({ kind: "approve", remember: { scope: chosen, forMs: Number(span), maxUses } })}
      >
        Approve and remember
      </Button>
    </div>
  );
}
