import { listEnablement, setEnablement } from "./catalogue.ts";
import { defineSubject } from "./define-subject.ts";
import { listOverrides, removeOverride, setOverride, updateOverride } from "./overrides.ts";

export const enablementSubject = defineSubject({
  name: "enablement",
  operations: [listEnablement, setEnablement, listOverrides, setOverride, updateOverride, removeOverride],
});
