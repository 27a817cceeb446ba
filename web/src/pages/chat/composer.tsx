import { Button, Textarea } from "@mantine/core";
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Failure } from "../../parts/failure.tsx";
import { PickFiles } from "../../parts/pick-files.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import classes from "./chat-page.module.css";
import { useAttachments } from "./use-attachments.ts";
import type { Message } from "./use-conversation.ts";

interface ComposerProps {
  readonly agent: string;
  /** Resolves to true once an agent has the message. */
  readonly send: (message: Message) => Promise<boolean>;
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
  const { files, problems, isOver, add, remove, clear } = useAttachments();
  const isEmpty = text.trim() === "" && files.length === 0;
  const submit = async (interrupt = false) => {
    if (isEmpty || isSending || !(await send({ message: text, interrupt, files }))) return;
    setText("");
    clear();
  };
  const onPaste = (event: ClipboardEvent) => {
    const { files: pasted } = event.clipboardData;
    // Programs that copy text put a picture of it beside.
    if (pasted.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
    event.preventDefault();
    void add([...pasted]);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") event.currentTarget.blur();
    else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <div className={classes.composer} data-over={isOver || undefined}>
      {error !== undefined && <Failure error={error} />}
      <p role="status" className="dim small">
        {isOver ? "Drop files to send them with the message." : children}
      </p>
      <AttachmentList files={files} problems={problems} remove={remove} />
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
          onPaste={onPaste}
        />
        <div className={classes.acts}>
          <PickFiles variant="default" multiple take={add}>
            Attach
          </PickFiles>
          {stop && <StopButton stop={stop} />}
          {stop && !isEmpty && (
            <Button variant="default" disabled={isSending} onClick={() => void submit(true)}>
              Stop and send
            </Button>
          )}
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
