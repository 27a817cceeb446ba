import { isCredentialPath } from "@toolwright/commands/targets";
import { classifyMetadata, type MetadataKind } from "../git-metadata/classify-metadata.ts";
import { type Classify, type Survey, WorkspaceSurveyor } from "./survey-workspace.ts";

/** Everything that is looked for in workspaces, so that one look finds it all. */
export type WorkspaceKind = MetadataKind | "credential";
export type WorkspaceSurvey = Survey<WorkspaceKind>;

const classify: Classify<WorkspaceKind> = (entry) => classifyMetadata(entry) ?? (isCredentialPath(entry.name) ? "credential" : undefined);

/** Workspaces whose folders are remembered. */
const maxRemembered = 64;
const surveyors = new Map<string, WorkspaceSurveyor<WorkspaceKind>>();

/** Looks through a workspace as it is now. All who ask for the same one share what is remembered of it. */
export function surveyWorkspace(root: string): Promise<WorkspaceSurvey> {
  const surveyor = surveyors.get(root) ?? new WorkspaceSurveyor(root, classify);
  surveyors.delete(root);
  surveyors.set(root, surveyor);
  const [oldest] = surveyors.keys();
  if (oldest !== undefined && surveyors.size > maxRemembered) surveyors.delete(oldest);
  return surveyor.survey();
}
