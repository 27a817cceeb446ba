import { Checkbox, Textarea } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { type ComponentType, useState } from "react";
import classes from "./form.module.css";
import { readJson } from "./json-text.ts";
import { isTooLongToEdit, LargeText, takeLongPaste } from "./large-text.tsx";
import { labelOf } from "./widget-parts.tsx";

const mostRows = 12;

/** What the form has no field for. A text that is no JSON stays, says where it breaks, and is not sent. */
export function JsonField({ fieldPathId, formData, name, onChange, rawErrors, required, schema, uiSchema }: FieldProps) {
  const path = fieldPathId.path;
  const [text, setText] = useState<string>();
  const shown = text !== undefined && says(text, formData) ? text : formData === undefined ? "" : JSON.stringify(formData, null, 2);
  const read = shown.trim() === "" ? undefined : readJson(shown);
  const change = (next: string) => {
    setText(next);
    if (next.trim() === "") return onChange(undefined, path);
    const now = readJson(next);
    if ("json" in now) onChange(now.json, path);
  };
  const said = [schema.description, uiSchema?.why].filter(Boolean).join(" ");
  const problem = read && "problem" in read ? read.problem : rawErrors?.join(" ");
  const label = labelOf(String(uiSchema?.["ui:title"] ?? schema.title ?? name), required === true);
  if (isTooLongToEdit(shown))
    return <LargeText id={fieldPathId.$id} label={label} error={problem} text={shown} remove={() => change("")} />;
  return (
    <Textarea
      id={fieldPathId.$id}
      label={label}
      description={said}
      error={problem}
      inputWrapperOrder={["label", "input", "error", "description"]}
      classNames={{ input: "mono" }}
      spellCheck={false}
      rows={Math.min(mostRows, Math.max(2, shown.split("\n", mostRows).length))}
      value={shown}
      onPaste={(event) => takeLongPaste(event, change)}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** Whether this is still the text of that value, or on its way to one: as somebody wrote it, it stays. */
function says(text: string, value: unknown): boolean {
  if (text.trim() === "") return value === undefined;
  const read = readJson(text);
  return "problem" in read || JSON.stringify(read.json) === JSON.stringify(value);
}

/** What may be null: ticked it is, else it is what its own field says. */
export function NullableField(props: FieldProps) {
  const { fieldPathId, formData, onChange, registry, uiSchema, schema, required } = props;
  const SchemaField = registry.fields.SchemaField as ComponentType<FieldProps>;
  const inner = uiSchema?.inner as { readonly schema: FieldProps["schema"]; readonly ui: FieldProps["uiSchema"] };
  const isNull = formData === null;
  const title = String(uiSchema?.["ui:title"] ?? schema.title ?? props.name);
  return (
    <div className={classes.nullable}>
      {isNull ? (
        <p className={classes.nothing}>{labelOf(title, required === true)}</p>
      ) : (
        <SchemaField {...props} schema={{ ...inner.schema, title }} uiSchema={inner.ui} />
      )}
      {/* Of what may be left out, nobody needs a second way to say nothing. */}
      {(required || isNull) && (
        <Checkbox
          size="xs"
          label={`${title} is null`}
          checked={isNull}
          onChange={(event) => onChange(event.currentTarget.checked ? null : undefined, fieldPathId.path)}
        />
      )}
    </div>
  );
}
