import { Validator } from "@cfworker/json-schema";
import type { RJSFSchema, ValidatorType } from "@rjsf/utils";

/** The gate says what does not fit. Here a schema only tells which branch of a union an input is. */
export const branchValidator: ValidatorType<unknown, RJSFSchema> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  isValid(schema, data) {
    try {
      return new Validator(schema as object, "2020-12").validate(data).valid;
    } catch {
      return false;
    }
  },
};

// Under the name by which rjsf's own helpers ask for one.
export default branchValidator;
