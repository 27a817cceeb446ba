import { Button, Input } from "@mantine/core";
import type { ClipboardEvent, ReactNode } from "react";
import classes from "./form.module.css";
import { wordsOfSize } from "./input-size.ts";

/** Characters above which a browser takes seconds to lay a text out in a field. */
const mostInField = 200_000;

export const isTooLongToEdit = (text: string): boolean => text.length > mostInField;

/** A long text that is pasted never gets into the field: what the field would hold then is said instead. */
export function takeLongPaste(event: ClipboardEvent<HTMLInputElement | HTMLTextAreaElement>, take: (text: string) => void): void {
  const pasted = event.clipboardData.getData("text");
  if (!isTooLongToEdit(pasted)) return;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  take(value.slice(0, selectionStart ?? value.length) + pasted + value.slice(selectionEnd ?? value.length));
}

interface LargeTextProps {
  readonly id?: string | undefined;
  readonly label: ReactNode;
  readonly error?: ReactNode;
  readonly text: string;
  readonly remove: () => void;
}

const shown = 400;

/** A text that is too long for a field: how it begins, and that it is sent whole. */
export function LargeText({ id, label, error, text, remove }: LargeTextProps) {
  return (
    <Input.Wrapper labelElement="div" label={label} error={error} inputWrapperOrder={["label", "input", "error"]}>
      <div id={id} className={classes.drop}>
        <span>{`${wordsOfSize(text.length)}: too long to edit here, sent as it is.`}</span>
        <Button size="compact-sm" variant="subtle" onClick={remove}>
          Remove
        </Button>
        <pre className={classes.beginning}>{`${text.slice(0, shown)} …`}</pre>
      </div>
    </Input.Wrapper>
  );
}
