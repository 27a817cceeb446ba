import { cataloguePort } from "../ports/catalogue-store.ts";
import { listEnablement, setEnablement } from "./catalogue.ts";
import { defineSubject } from "./define-subject.ts";
import { listOverrides, removeOverride, setOverride, updateOverride } from "./overrides.ts";

export const enablementSubject = defineSubject({
  name: "enablement",
  errors: {
    catalogue_not_found: { kind: "missing", means: "There is no such agent, skill, hook or row of a tool." },
    catalogue_refused: { kind: "invalid", means: "What was asked of an agent, skill, hook or tool's row cannot be done." },
  },
  store: [cataloguePort],
  operations: [listEnablement, setEnablement, listOverrides, setOverride, updateOverride, removeOverride],
});
