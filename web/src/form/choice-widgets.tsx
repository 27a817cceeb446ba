import { Input } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { lazy, Suspense } from "react";
import { type Choice, choicesOf } from "./choices.ts";
import classes from "./form.module.css";
import { frameOf } from "./widget-parts.tsx";

// Lists that can be searched are heavy, and most forms have none.
const LongChoice = lazy(async () => ({ default: (await import("./list-widgets.tsx")).LongChoice }));

const fewChoices = 6;
const fewCharacters = 60;

/** One of a few as a row of buttons, one of many as a list that can be searched. */
export function ChoiceWidget(given: WidgetProps) {
  // The branches of a union: one of them it is.
  const props = /__(?:one|any)of_select$/.test(given.id) ? { ...given, required: true } : given;
  const { options, value, required, onChange } = props;
  const choices = choicesOf(options.enumOptions);
  const chosen = (options.enumOptions ?? []).findIndex((option) => option.value === value);
  const pick = (index: string | null) => onChange(index === null || index === "" ? undefined : options.enumOptions?.[Number(index)]?.value);
  const { inputWrapperOrder: _, ...frame } = frameOf(props);
  const characters = choices.reduce((sum, { label }) => sum + label.length, 0);
  if (choices.length <= fewChoices && characters <= fewCharacters)
    return <Segments {...frame} choices={choices} chosen={chosen < 0 ? "" : String(chosen)} required={required === true} pick={pick} />;
  return (
    <Suspense fallback={<Input.Wrapper {...frame} />}>
      <LongChoice {...props} />
    </Suspense>
  );
}

/** Yes, no, and for what may be left out: not said. */
export function YesNo(props: WidgetProps) {
  const { value, required, onChange } = props;
  const choices = [
    { value: "yes", label: "Yes" },
    { value: "no", label: "No" },
  ];
  const { inputWrapperOrder: _, ...frame } = frameOf(props);
  const chosen = value === true ? "yes" : value === false ? "no" : "";
  const pick = (picked: string | null) => onChange(picked === "" || picked === null ? undefined : picked === "yes");
  return <Segments {...frame} choices={choices} chosen={chosen} required={required === true} pick={pick} />;
}

interface SegmentsProps extends Omit<ReturnType<typeof frameOf>, "inputWrapperOrder"> {
  readonly choices: readonly Choice[];
  readonly chosen: string;
  readonly required: boolean;
  readonly pick: (value: string) => void;
}

function Segments({ id, label, description, error, disabled, choices, chosen, required, pick, ...named }: SegmentsProps) {
  const all = required ? choices : [...choices, { value: "", label: "Not said" }];
  return (
    <Input.Wrapper
      labelElement="div"
      label={<span id={`${id}-label`}>{label}</span>}
      description={description}
      error={error}
      inputWrapperOrder={["label", "input", "error", "description"]}
    >
      <div
        id={id}
        role="radiogroup"
        className={classes.segments}
        aria-invalid={error !== undefined}
        tabIndex={-1}
        {...(label === undefined ? named : { "aria-labelledby": `${id}-label` })}
      >
        {all.map(({ value, label: words }) => (
          <label key={value} className={classes.segment} data-chosen={value === chosen || undefined}>
            <input type="radio" name={id} value={value} checked={value === chosen} disabled={disabled} onChange={() => pick(value)} />
            {words}
          </label>
        ))}
      </div>
    </Input.Wrapper>
  );
}

const Several = lazy(async () => ({ default: (await import("./list-widgets.tsx")).Several }));

/** Several of a set. */
export function ChoicesWidget(props: WidgetProps) {
  return (
    <Suspense fallback={<Input.Wrapper label={props.label} />}>
      <Several {...props} />
    </Suspense>
  );
}

/** What can be one thing alone: shown, and sent. */
export function Constant(props: WidgetProps) {
  const { inputWrapperOrder, label, description, error } = frameOf(props);
  return (
    <Input.Wrapper labelElement="div" label={label} description={description} error={error} inputWrapperOrder={inputWrapperOrder}>
      <div>
        <code>{JSON.stringify(props.schema.const)}</code>
      </div>
    </Input.Wrapper>
  );
}
