import { Button, Checkbox, Modal, PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Failure } from "./failure.tsx";
import { type Field, faultsOf, type Values } from "./form-values.ts";
import { useReturnFocus } from "./use-return-focus.ts";

export interface FormDialogProps {
  readonly title: string;
  readonly fields: readonly Field[];
  /** What the button does, as a verb with its thing. */
  readonly act: string;
  readonly submit: (values: Values) => Promise<unknown>;
  readonly close: () => void;
  /** For what needs more room than fields do. */
  readonly size?: "xl";
  readonly children?: ReactNode;
}

/** A form in a dialog: it closes when the server took it, and else keeps what was typed with what was wrong beside it. */
export function FormDialogBox({ title, fields, act, submit, close, size, children }: FormDialogProps) {
  const [values, setValues] = useState<Values>(() => Object.fromEntries(fields.map(({ name, value = "" }) => [name, value])));
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const form = useRef<HTMLFormElement>(null);
  useReturnFocus();
  // The first field that is wrong, else the button, which lost the focus while the server was asked.
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (faults.size > 0) (wrong ?? form.current?.querySelector<HTMLElement>('[type="submit"]'))?.focus();
  }, [faults]);
  const [isBusy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await submit(values);
      close();
    } catch (error) {
      setFaults(faultsOf(error, fields));
      setBusy(false);
    }
  };
  const { "": always = [], ...groups } = Object.groupBy(fields, ({ group = "" }) => group);
  const inputOf = (field: Field) => (
    <FieldInput
      key={field.name}
      field={field}
      isFirst={field === always[0]}
      value={values[field.name] ?? ""}
      error={faults.get(field.name)}
      onChange={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
    />
  );
  return (
    <Modal opened onClose={close} title={title} {...(size && { size })} closeButtonProps={{ "aria-label": "Close" }}>
      <form ref={form} onSubmit={(event) => void onSubmit(event)} autoComplete="off" style={{ display: "grid", gap: 12 }}>
        {children}
        {always.map(inputOf)}
        {Object.entries(groups).map(([name, members = []]) => (
          <Group
            key={name}
            name={`${name} (${members.length})`}
            isSaid={members.some(({ value = "" }) => value !== "")}
            isWrong={members.some((member) => faults.has(member.name))}
          >
            {members.map(inputOf)}
          </Group>
        ))}
        {faults.has("") && <Failure error={faults.get("")} />}
        <Button type="submit" loading={isBusy}>
          {act}
        </Button>
      </form>
    </Modal>
  );
}

interface GroupProps {
  readonly name: string;
  /** One of its fields says something from the beginning. */
  readonly isSaid: boolean;
  readonly isWrong: boolean;
  readonly children: ReactNode;
}

function Group({ name, isSaid, isWrong, children }: GroupProps) {
  const [isOpen, setOpen] = useState(isSaid);
  return (
    <details open={isOpen || isWrong} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      <div style={{ display: "grid", gap: 12, paddingTop: 12 }}>{children}</div>
    </details>
  );
}

interface FieldInputProps {
  readonly field: Field;
  /** It has the focus when the dialog opens. */
  readonly isFirst: boolean;
  readonly value: string | boolean;
  readonly error: string | undefined;
  readonly onChange: (value: string | boolean) => void;
}

function FieldInput({
  field: { kind = "text", label, help, placeholder, optional = false, choices = [] },
  isFirst,
  value,
  error,
  onChange,
}: FieldInputProps) {
  const shared = {
    label: optional ? `${label} (optional)` : label,
    ...(help !== undefined && { description: help }),
    ...(placeholder !== undefined && { placeholder }),
    ...(error !== undefined && { error }),
    ...(isFirst && { "data-autofocus": true }),
  };
  if (kind === "yes")
    return <Checkbox {...shared} label={label} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
  const text = String(value);
  const typed = { ...shared, value: text, required: !optional, withAsterisk: false };
  if (kind === "choice")
    return <Select {...typed} value={text || null} data={[...choices]} searchable onChange={(chosen) => onChange(chosen ?? "")} />;
  if (kind === "secret")
    return <PasswordInput {...typed} autoComplete="new-password" onChange={(event) => onChange(event.currentTarget.value)} />;
  if (kind === "number") return <TextInput {...typed} type="number" step="any" onChange={(event) => onChange(event.currentTarget.value)} />;
  if (kind === "text") return <TextInput {...typed} onChange={(event) => onChange(event.currentTarget.value)} />;
  return <Textarea {...typed} rows={kind === "long" ? 8 : 3} onChange={(event) => onChange(event.currentTarget.value)} />;
}
