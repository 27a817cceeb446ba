import { count, visibleText } from "../contract/visible-text.ts";
import { definePort } from "./define-port.ts";

/** Something that was enabled and is no more. Without an agent: the tenant had opted in. */
export interface LostEnablement {
  readonly tenant: string;
  readonly agent?: string | undefined;
  readonly source: "manual" | "default" | "skill" | "tenant";
  readonly skill?: string | undefined;
}

export interface RemovedTool {
  readonly tool: string;
  /** A newer tool with the same definition. */
  readonly renamedTo?: string | undefined;
  readonly lost: readonly LostEnablement[];
}

/** What became of the tools that a store knew when it was brought to those of a process. */
export interface SyncReport {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly RemovedTool[];
  /** Not here, and kept: other processes serve them, or did lately; or some tools could not be loaded. */
  readonly held: readonly { readonly tool: string; readonly by: readonly string[] }[];
}

/** Brings the store to the tools of code that this process has. */
export interface ToolSync {
  sync(): Promise<SyncReport>;
}

export const toolSyncPort = definePort<ToolSync>()("toolSync", "who keeps the store at the tools of code, as @toolwright/server does");

/** What an operator should know of a sync, a line each; nothing when nothing changed. */
export function describeSync({ added, changed, removed, held }: SyncReport): readonly string[] {
  const lines: string[] = [];
  if (added.length > 0) lines.push(`New tools: ${added.join(", ")}.`);
  if (changed.length > 0) lines.push(`Changed tools: ${changed.join(", ")}.`);
  for (const { tool, renamedTo, lost } of removed) {
    lines.push(`Tool "${tool}" is gone.${renamedTo ? ` "${renamedTo}" has the same definition: it may be its new name.` : ""}`);
    for (const loss of lost) lines.push(`  ${describeLoss(loss)}`);
    if (renamedTo && lost.some(({ skill }) => skill === undefined)) lines.push(`  Enable "${renamedTo}" where it should take its place.`);
  }
  for (const { tool, by } of held) {
    const why =
      by.length > 0 ? `${count(by.length, "other process has", "other processes have")} it or had it lately` : "some files were refused";
    lines.push(`Tool "${tool}" is not here; it keeps its enablement, because ${why}.`);
  }
  return lines.map((line) => visibleText(line));
}

const ways: Readonly<Record<LostEnablement["source"], string>> = {
  manual: "by hand",
  default: "since it was made",
  skill: "by a skill",
  tenant: "by its tenant",
};

function describeLoss({ tenant, agent, source, skill }: LostEnablement): string {
  if (agent === undefined) return `Tenant "${tenant}" had opted in.`;
  const how = skill === undefined ? ways[source] : `by skill "${skill}", which still asks for it`;
  return `Agent "${agent}" of tenant "${tenant}" had it ${how}.`;
}
