import type { Caution, CommandSpec } from "@toolwright/engine/ports";
import { confineWorkdir } from "./confine-workdir.ts";
import { cautionsOf, findGitUse, type PlacedCommand } from "./git-use.ts";
import type { WorkspaceView, WorkspaceViews } from "./workspace-view.ts";

/** Cautions of one line; further ones are not shown, and their number is. */
const mostCautions = 10;

const unknown = (subject: string, reason: string): Caution => ({
  rule: "default.git.unknown",
  reason,
  subject,
  remedy: "Approve this call, or look at the workspace.",
});

/** What only the workspace can say against a command line. None without a workspace or folder: starting says so. */
export async function findCautions(
  views: WorkspaceViews,
  workspaceOf: () => string,
  { command, workdir }: Pick<CommandSpec, "command" | "workdir">,
): Promise<readonly Caution[]> {
  if (!/git|\bgh\b|glab|hub|\btig\b|\bjj\b|\bstg\b/i.test(command)) return [];
  const place = await findPlace(workspaceOf, workdir).catch(() => undefined);
  if (!place) return [];
  try {
    return judgePlaced(await views.look(place.workspace), { command, workdir: place.workdir });
  } catch {
    return [unknown("workspace", "The workspace could not be looked through, so what git would obey in it is not known.")];
  }
}

async function findPlace(workspaceOf: () => string, workdir: CommandSpec["workdir"]) {
  const workspace = workspaceOf();
  return { workspace, workdir: await confineWorkdir(workspace, workdir) };
}

/** The cautions for a line in a workspace that was looked at. */
export function judgePlaced(view: WorkspaceView, placed: PlacedCommand): readonly Caution[] {
  const use = findGitUse(view, placed);
  if (!use) return [];
  const reason = "The workspace has too many folders to find every repository in it, so what git would obey is not known.";
  const cautions = view.isComplete ? cautionsOf(use) : [unknown("folders", reason), ...cautionsOf(use)];
  if (cautions.length <= mostCautions) return cautions;
  const rest = cautions.slice(mostCautions);
  const [first] = rest;
  const subject = rest.map((caution) => caution.subject).join("\n");
  return [
    ...cautions.slice(0, mostCautions),
    { ...(first as Caution), subject, reason: `${first?.reason} There are ${rest.length - 1} more like it.` },
  ];
}
