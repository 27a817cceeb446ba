import { getDefaultFormState, type RJSFSchema } from "@rjsf/utils";
import type { FormPlan } from "./form-plan.ts";
import { inputOf } from "./input-of.ts";
import type { Json } from "./json-schema.ts";
import { branchValidator } from "./validator.ts";

/** What a form holds before anybody touches it: the defaults, which are shown, and so are sent. */
export function firstInput({ schema }: FormPlan): Json {
  return inputOf(getDefaultFormState(branchValidator, schema as RJSFSchema, {}, schema as RJSFSchema), schema) ?? {};
}
