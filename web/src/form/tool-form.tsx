import Form from "@rjsf/core";
import type { RJSFSchema } from "@rjsf/utils";
import { memo, useMemo } from "react";
import { ChoicesWidget, ChoiceWidget, Constant, YesNo } from "./choice-widgets.tsx";
import { DocumentWidget } from "./document-widget.tsx";
import { errorSchemaOf, type InputIssue } from "./error-schema.ts";
import classes from "./form.module.css";
import type { FormPlan } from "./form-plan.ts";
import { inputOf } from "./input-of.ts";
import { JsonField, NullableField } from "./json-field.tsx";
import type { Json } from "./json-schema.ts";
import { FieldTemplate, ListItemTemplate, ListTemplate, ObjectTemplate, UnionTemplate } from "./templates.tsx";
import { Code, Day, Figure, Growing, HiddenText, Line, Long, Moment } from "./text-widgets.tsx";
import { branchValidator } from "./validator.ts";

const widgets = {
  line: Line,
  growing: Growing,
  long: Long,
  code: Code,
  figure: Figure,
  "hidden-text": HiddenText,
  day: Day,
  moment: Moment,
  choice: ChoiceWidget,
  choices: ChoicesWidget,
  "yes-no": YesNo,
  document: DocumentWidget,
  constant: Constant,
  // Of rjsf's own: the branches of a union.
  SelectWidget: ChoiceWidget,
};
const fields = { json: JsonField, nullable: NullableField };
const templates = {
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ListTemplate,
  ArrayFieldItemTemplate: ListItemTemplate,
  MultiSchemaFieldTemplate: UnionTemplate,
};
const behavior = { emptyObjectFields: "populateRequiredDefaults", arrayMinItems: { populate: "requiredOnly" } } as const;

interface ToolFormProps {
  readonly plan: FormPlan;
  readonly input: Json;
  readonly issues: readonly InputIssue[];
  readonly onChange: (input: Json) => void;
}

/** The fields of a tool's input. */
export const ToolForm = memo(function ToolForm({ plan, input, issues, onChange }: ToolFormProps) {
  const errors = useMemo(() => errorSchemaOf(issues), [issues]);
  return (
    <Form
      className={classes.form}
      tagName="div"
      idPrefix="input"
      schema={plan.schema as RJSFSchema}
      uiSchema={plan.ui}
      formData={input}
      formContext={{ groups: plan.groups, more: plan.more }}
      validator={branchValidator}
      extraErrors={errors as never}
      extraErrorsBlockSubmit={false}
      showErrorList={false}
      noHtml5Validate
      experimental_defaultFormStateBehavior={behavior as never}
      widgets={widgets}
      fields={fields}
      templates={templates}
      onChange={({ formData }) => onChange(inputOf(formData, plan.schema, input) ?? {})}
    >
      {/* What a form ends with stands below the page. */}
      <span hidden />
    </Form>
  );
});
