import { TextInput } from "@mantine/core";
import { useTypedText } from "../app/use-typed-text.ts";

interface FilterTextProps {
  readonly label: string;
  readonly placeholder: string;
  /** As the URL has it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A filter that is typed: it holds from the first pause on. */
export function FilterText({ label, placeholder, value, onChange }: FilterTextProps) {
  const [text, type] = useTypedText(value, (typed) => onChange(typed.trim()));
  return <TextInput aria-label={label} placeholder={placeholder} value={text} onChange={(event) => type(event.currentTarget.value)} />;
}
