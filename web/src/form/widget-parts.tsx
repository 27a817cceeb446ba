import type { WidgetProps } from "@rjsf/utils";
import type { ReactNode } from "react";

/** What a widget's Mantine input shows around itself. */
export function frameOf({ id, label, hideLabel, required, rawErrors, schema, options, readonly, disabled }: WidgetProps) {
  const description = typeof options.description === "string" ? options.description : schema.description;
  return {
    id,
    label: hideLabel || label === "" ? undefined : labelOf(label, required === true),
    ...((hideLabel || label === "") && { "aria-label": label || "Item" }),
    description,
    error: rawErrors && rawErrors.length > 0 ? rawErrors.join(" ") : undefined,
    disabled: disabled === true || readonly === true,
    inputWrapperOrder: ["label", "input", "error", "description"] as ("label" | "input" | "error" | "description")[],
  };
}

/** What must be there needs no mark; what may be left out says so. */
export function labelOf(label: string, required: boolean): ReactNode {
  return required ? (
    label
  ) : (
    <>
      {label} <span className="dim small">optional</span>
    </>
  );
}
