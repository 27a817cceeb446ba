export { type Admission, type AdmissionCheck, type AdmissionFacts, admit, isAdmitted } from "../catalogue/admit.ts";
export { askedPermissions } from "../catalogue/asked-permissions.ts";
export type { Snapshot } from "../catalogue/catalogue.ts";
export { toCodeTools } from "../catalogue/code-tools.ts";
export { checkedBefore, codeDigest } from "../catalogue/compile-parts.ts";
export type { CompiledTool, Origin } from "../catalogue/compile-tool.ts";
export { type LoadProblem, type LoadReport, loadFolder } from "../catalogue/load-folder.ts";
export type { TenantToolExecutor } from "../catalogue/tenant-tool-executor.ts";
export { ownPermissions } from "../contract/own-permissions.ts";
export type { AgentFiles, AgentFolders, RemovedFolder } from "../ports/agent-files.ts";
export type { CodeTools, TenantTool, TenantToolRows, TenantTools, ToolOverride } from "../ports/tenant-tools.ts";
export { describeSync, type LostEnablement, type RemovedTool, type SyncReport, type ToolSync } from "../ports/tool-sync.ts";
export { capabilitiesOf, hintsOf, type ToolWeight, type Weights, weighEffects, weightsOf } from "../tool/effects.ts";
export type {
  ChartBlock,
  CustomBlock,
  FileBlock,
  FormField,
  FormGroup,
  FormSpec,
  ImageBlock,
  MarkdownBlock,
  OutputSection,
  RadarBlock,
  RankingBlock,
  SummaryBlock,
  TableBlock,
  ToolPresentation,
  ViewBlock,
  ViewMember,
  ViewSpec,
} from "../tool/presentation.ts";
export type { Question, Say } from "../tool/question.ts";
