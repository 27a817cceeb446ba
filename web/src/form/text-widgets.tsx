import { Input, Textarea, TextInput } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { lazy, Suspense } from "react";
import classes from "./form.module.css";
import { isTooLongToEdit, LargeText, takeLongPaste } from "./large-text.tsx";
import { frameOf } from "./widget-parts.tsx";

// Most forms have none.
const PasswordInput = lazy(async () => ({ default: (await import("./password-input.tsx")).PasswordInput }));

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
/** Cleared is absent. */
const given = (text: string): string | undefined => (text === "" ? undefined : text);

/** In place of a field that the browser would take seconds for. */
function TooLong({ text, ...props }: WidgetProps & { readonly text: string }) {
  const { id, label, "aria-label": name, error } = frameOf(props);
  return <LargeText id={id} label={label ?? name} error={error} text={text} remove={() => props.onChange(undefined)} />;
}

export function Line(props: WidgetProps) {
  const text = textOf(props.value);
  if (isTooLongToEdit(text)) return <TooLong {...props} text={text} />;
  return (
    <TextInput
      {...frameOf(props)}
      placeholder={props.placeholder ?? ""}
      value={text}
      onPaste={(event) => takeLongPaste(event, props.onChange)}
      onChange={(event) => props.onChange(given(event.currentTarget.value))}
    />
  );
}

/** One line that becomes several when somebody writes several. */
export function Growing(props: WidgetProps) {
  return <Lines {...props} rows={1} />;
}

export function Long(props: WidgetProps) {
  return <Lines {...props} rows={4} />;
}

export function Code(props: WidgetProps) {
  return <Lines {...props} rows={6} mono />;
}

const mostRows = 16;

function Lines({ rows, mono = false, ...props }: WidgetProps & { readonly rows: number; readonly mono?: boolean }) {
  const text = textOf(props.value);
  if (isTooLongToEdit(text)) return <TooLong {...props} text={text} />;
  const lines = Math.min(mostRows, Math.max(rows, text.split("\n", mostRows).length));
  return (
    <Textarea
      {...frameOf(props)}
      placeholder={props.placeholder ?? ""}
      rows={lines}
      style={{ "--rows": lines, "--most-rows": mostRows }}
      classNames={{ input: mono ? `${classes.lines} mono` : classes.lines }}
      value={text}
      onPaste={(event) => takeLongPaste(event, props.onChange)}
      onChange={(event) => props.onChange(given(event.currentTarget.value))}
    />
  );
}

/** A number as it is typed: what is none is the gate's to refuse, with its words. */
export function Figure(props: WidgetProps) {
  const { minimum, maximum } = props.schema;
  const bounds = [minimum !== undefined && `from ${minimum}`, maximum !== undefined && `to ${maximum}`].filter(Boolean).join(" ");
  return (
    <TextInput
      {...frameOf(props)}
      inputMode={props.schema.type === "integer" ? "numeric" : "decimal"}
      placeholder={props.placeholder || bounds}
      value={textOf(props.value)}
      onChange={(event) => props.onChange(given(event.currentTarget.value))}
    />
  );
}

/** Never kept, and never shown again. */
export function HiddenText(props: WidgetProps) {
  const text = textOf(props.value);
  if (isTooLongToEdit(text)) return <TooLong {...props} text={"•".repeat(text.length)} />;
  const { inputWrapperOrder, ...frame } = frameOf(props);
  return (
    <Suspense fallback={<Input.Wrapper {...frame} />}>
      <PasswordInput
        {...frame}
        inputWrapperOrder={inputWrapperOrder}
        autoComplete="off"
        value={text}
        onPaste={(event) => takeLongPaste(event, props.onChange)}
        onChange={(event) => props.onChange(given(event.currentTarget.value))}
      />
    </Suspense>
  );
}

export function Day(props: WidgetProps) {
  return (
    <TextInput
      {...frameOf(props)}
      type="date"
      value={textOf(props.value)}
      onChange={(event) => props.onChange(given(event.currentTarget.value))}
    />
  );
}

/** The browser's clock is local; what is sent names its offset from UTC. */
export function Moment(props: WidgetProps) {
  return (
    <TextInput
      {...frameOf(props)}
      type="datetime-local"
      step={1}
      value={toLocal(props.value)}
      onChange={(event) => props.onChange(fromLocal(event.currentTarget.value))}
    />
  );
}

function toLocal(value: unknown): string {
  const at = new Date(String(value));
  if (value === undefined || Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function fromLocal(text: string): string | undefined {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
