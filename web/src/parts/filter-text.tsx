import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

interface FilterTextProps {
  readonly label: string;
  readonly placeholder: string;
  /** As the URL has it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const pauseMs = 250;

/** A filter that is typed: it holds from the first pause on. */
export function FilterText({ label, placeholder, value, onChange }: FilterTextProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useDebouncedCallback((typed: string) => {
    told.current = typed.trim();
    onChange(told.current);
  }, pauseMs);
  useEffect(() => {
    // Changed elsewhere, as by going back.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
    />
  );
}
