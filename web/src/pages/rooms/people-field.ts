import type { Field } from "../../parts/form-values.ts";

/** Who is in a room beside its maker. */
export const peopleField: Field = {
  ...{ name: "people", label: "People", kind: "lines", optional: true },
  help: "Ids of others who are in it, one a line",
};
