import { nearestName, type Scope, type ToolView } from "@toolwright/engine";
import { CliError } from "../../cli-error.ts";

/** The tool of that name, or an error that names the nearest one. A hidden tool is answered like an unknown one. */
export function findTool(
  scope: Scope,
  name: string,
  remedy = `See them with: toolwright list. Ask for the reason with: toolwright why ${name}`,
): ToolView {
  const tool = scope.find(name);
  if (tool) return tool;
  const nearest = nearestName(
    name,
    scope.list().map((each) => each.name),
  );
  throw new CliError(`There is no tool "${name}".${nearest ? ` Did you mean "${nearest}"?` : ""} ${remedy}`);
}
