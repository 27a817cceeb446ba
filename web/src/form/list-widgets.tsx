import { MultiSelect, Select } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { choicesOf } from "./choices.ts";
import { frameOf } from "./widget-parts.tsx";

/** One of many, found by typing. */
export function LongChoice(props: WidgetProps) {
  const { options, value, required, onChange } = props;
  const all = options.enumOptions ?? [];
  const chosen = all.findIndex((option) => option.value === value);
  return (
    <Select
      {...frameOf(props)}
      searchable
      clearable={!required}
      clearButtonProps={{ "aria-label": "Choose none" }}
      nothingFoundMessage="Nothing is called that."
      data={choicesOf(all)}
      value={chosen < 0 ? null : String(chosen)}
      onChange={(index) => onChange(index === null ? undefined : all[Number(index)]?.value)}
    />
  );
}

/** Several of a set. */
export function Several(props: WidgetProps) {
  const { options, value, onChange } = props;
  const all = options.enumOptions ?? [];
  const chosen = Array.isArray(value)
    ? value.map((each) => String(all.findIndex((option) => option.value === each))).filter((index) => index !== "-1")
    : [];
  return (
    <MultiSelect
      {...frameOf(props)}
      searchable
      hidePickedOptions
      nothingFoundMessage="Nothing else is called that."
      data={choicesOf(all)}
      value={chosen}
      onChange={(picked) => onChange(picked.map((index) => all[Number(index)]?.value))}
    />
  );
}
