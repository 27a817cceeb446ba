import { Button, Textarea } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Failure } from "../../parts/failure.tsx";
import classes from "./chat-page.module.css";

interface ComposerProps {
  readonly agent: string;
  /** Resolves to true once an agent has the message. */
  readonly send: (message: string) => Promise<boolean>;
  readonly isSending: boolean;
  readonly error: unknown;
  /** Of a turn that is open. */
  readonly stop: (() => Promise<void>) | undefined;
  readonly children: ReactNode;
}

const mostRows = 10;

/** Where a message is typed. What could not be sent stays. */
export function Composer({ agent, send, isSending, error, stop, children }: ComposerProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const isEmpty = text.trim() === "";
  const submit = async () => {
    if (isEmpty || isSending) return;
    if (await send(text)) setText("");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") event.currentTarget.blur();
    else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <div className={classes.composer}>
      {error !== undefined && <Failure error={error} />}
      <p role="status" className="dim small">
        {children}
      </p>
      <div className={classes.typing}>
        <Textarea
          ref={field}
          className={classes.field}
          aria-label={`Message to ${agent}`}
          placeholder={`Message to ${agent}`}
          rows={Math.min(mostRows, text.split("\n").length + 1)}
          value={text}
          readOnly={isSending}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <div className={classes.acts}>
          {stop && <StopButton stop={stop} />}
          <Button disabled={isEmpty || isSending} onClick={() => void submit()} aria-keyshortcuts="Enter">
            Send
          </Button>
        </div>
      </div>
    </div>
  );
}

function StopButton({ stop }: { readonly stop: () => Promise<void> }) {
  const [isStopping, setStopping] = useState(false);
  const press = async () => {
    setStopping(true);
    await stop();
    setStopping(false);
  };
  return (
    <Button variant="default" disabled={isStopping} onClick={() => void press()}>
      {isStopping ? "Stopping …" : "Stop"}
    </Button>
  );
}
