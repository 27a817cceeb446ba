export { type Admission, type AdmissionCheck, type AdmissionFacts, admit, isAdmitted } from "../catalogue/admit.ts";
export { askedPermissions } from "../catalogue/asked-permissions.ts";
export type { CompiledTool, Origin, Snapshot } from "../catalogue/catalogue.ts";
export { compileTenantTool } from "../catalogue/compile-tenant-tool.ts";
export { type LoadProblem, type LoadReport, loadFolder } from "../catalogue/load-folder.ts";
export { overrideTool } from "../catalogue/override-tool.ts";
export type { TenantTool, TenantToolExecutor, TenantToolRows, TenantTools, ToolOverride } from "../catalogue/tenant-tools.ts";
export type { FormField, FormSection, ToolPresentation } from "../tool/define-tool.ts";
export { capabilitiesOf, hintsOf, type ToolWeight, type Weights, weighEffects, weightsOf } from "../tool/effects.ts";
