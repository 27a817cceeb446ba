import { ToolwrightError } from "@toolwright/engine/errors";
import type { ToolSummary } from "@toolwright/engine/operations";
import { nearestName, visibleText } from "@toolwright/engine/visible-text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Operate } from "./operate.ts";

/** What a command that did not find a tool says beside that. */
export interface Whereabouts {
  /** Options that a suggested command needs to speak of the same tools. */
  readonly where: string;
  /** The policy that decided, in a sentence; undefined where it is another server's. */
  readonly inForce: string | undefined;
}

/** The tool of that name, hidden or not; undefined for one that there is not for whoever asks. */
export async function findAnyTool(operate: Operate, name: string): Promise<ToolSummary | undefined> {
  const found = await lookForTool(operate, name);
  if (found) return found;
  try {
    return (await operate("tools.survey", { tool: name })).items[0]?.tool;
  } catch (cause) {
    if (ToolwrightError.is(cause) && cause.code === "operation_not_allowed") return undefined;
    throw cause;
  }
}

/** Undefined for one that there is not for whoever asks. */
export async function lookForTool(operate: Operate, name: string): Promise<ToolSummary | undefined> {
  try {
    return await operate("tools.get", { name });
  } catch (cause) {
    if (ToolwrightError.is(cause) && cause.code === "tool_not_found") return undefined;
    throw cause;
  }
}

/** Whoever may know of every tool is told one that is hidden from one that is not there. */
export async function refuseTool(operate: Operate, name: string, { where, inForce }: Whereabouts): Promise<never> {
  const { admission, decision } = (await operate("policy.why", { tool: name })).explanation;
  if (decision) {
    const more = [inForce, decision.remedy && visibleText(decision.remedy)].filter(Boolean).map((words) => ` ${words}`);
    throw new CliError(`Denied: ${visibleText(decision.reason)} (${decision.rule})${more.join("")}`, { exitCode: exitCodes.denied });
  }
  const failed = admission?.checks.find(({ passed }) => !passed);
  if (failed)
    throw new CliError(
      `Denied: the tool "${name}" is hidden by the check ${failed.check}. ${visibleText(failed.reason)} More: toolwright why${where} ${name}`,
      { exitCode: exitCodes.denied },
    );
  throw await unknownTool(operate, name, where);
}

/** Refuses in the place of an operation that has not found that tool; what else went wrong goes on. */
export const refuseHidden =
  (operate: Operate, { name, ...about }: Whereabouts & { readonly name: string }, otherwise: (error: unknown) => never) =>
  async (error: unknown): Promise<never> =>
    ToolwrightError.is(error) && error.code === "tool_not_found" ? refuseTool(operate, name, about) : otherwise(error);

/** Throws for a tool that there is not for whoever asks; one that is hidden from them is there. */
export async function refuseUnknown(operate: Operate, name: string, { where }: Pick<Whereabouts, "where">): Promise<void> {
  const { admission, decision } = (await operate("policy.why", { tool: name })).explanation;
  if (!decision && !admission) throw await unknownTool(operate, name, where);
}

async function unknownTool(operate: Operate, name: string, where: string): Promise<CliError> {
  const { items } = await operate("tools.list", {});
  const nearest = nearestName(
    name,
    items.map((each) => each.name),
  );
  return new CliError(
    `There is no tool "${visibleText(name)}".${nearest ? ` Did you mean "${nearest}"?` : ""} See them with: toolwright list${where}`,
  );
}
