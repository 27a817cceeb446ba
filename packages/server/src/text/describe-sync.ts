import { count, visibleText } from "@toolwright/engine/visible-text";
import type { LostEnablement, SyncReport } from "@toolwright/postgres";

/** What an operator should know of a sync, a line each; nothing when nothing changed. */
export function describeSync({ added, changed, removed, held }: SyncReport): readonly string[] {
  const lines: string[] = [];
  if (added.length > 0) lines.push(`New tools: ${added.join(", ")}.`);
  if (changed.length > 0) lines.push(`Changed tools: ${changed.join(", ")}.`);
  for (const { tool, renamedTo, lost } of removed) {
    lines.push(`Tool "${tool}" is gone.${renamedTo ? ` "${renamedTo}" has the same definition: it may be its new name.` : ""}`);
    for (const loss of lost) lines.push(`  ${describeLoss(loss)}`);
    if (renamedTo && lost.some(({ source }) => source !== "skill")) lines.push(`  Enable "${renamedTo}" where it should take its place.`);
  }
  for (const { tool, by } of held) {
    const why =
      by.length > 0 ? `${count(by.length, "other process has", "other processes have")} it or had it lately` : "some files were refused";
    lines.push(`Tool "${tool}" is not here; it keeps its enablement, because ${why}.`);
  }
  return lines.map((line) => visibleText(line));
}

function describeLoss({ tenant, agent, source, skill }: LostEnablement): string {
  if (agent === undefined) return `Tenant "${tenant}" had opted in.`;
  const how = source === "skill" ? `by skill "${skill}", which still asks for it` : source === "manual" ? "by hand" : "since it was made";
  return `Agent "${agent}" of tenant "${tenant}" had it ${how}.`;
}
