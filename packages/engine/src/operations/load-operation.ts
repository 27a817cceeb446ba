import { ToolwrightError } from "../contract/errors.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { Operation } from "./define-operation.ts";
import { operationIndex, portOwners, subjectLoaders } from "./generated/operation-index.ts";

const byName: ReadonlyMap<string, (typeof operationIndex)[number]> = new Map(operationIndex.map((entry) => [entry.name, entry]));

/** Throws `operation_not_found`, with the name that was probably meant. */
export function findOperation(name: string): (typeof operationIndex)[number] {
  const found = byName.get(name);
  if (found) return found;
  const nearest = nearestName(name, byName.keys());
  const shown = JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}...` : name);
  const hint = nearest === undefined ? `Use one of ${[...byName.keys()].join(", ")}.` : `Did you mean ${JSON.stringify(nearest)}?`;
  throw new ToolwrightError("operation_not_found", `There is no operation ${shown}. ${hint}`);
}

/** Loads the subject of the operation when somebody first asks for one of it. Rejects as `findOperation` throws. */
export async function loadOperation(name: string): Promise<Operation> {
  const { subject } = findOperation(name);
  const { operations } = await subjectLoaders[subject]();
  return operations.find((each) => each.name === name) as Operation;
}

/** What is given for operations to work on. Throws `settings_invalid` for a member that is the port of no subject: nothing would read it. */
export function withKnownPorts<Given extends object>(administration: Given): Given {
  const unknown = Object.keys(administration).find((name) => !Object.hasOwn(portOwners, name));
  if (unknown === undefined) return administration;
  const nearest = nearestName(unknown, Object.keys(portOwners));
  const hint = nearest === undefined ? `Use one of ${Object.keys(portOwners).join(", ")}.` : `Did you mean ${nearest}?`;
  throw new ToolwrightError(
    "settings_invalid",
    `The engine is given ${unknown} in administration, which is the port of no subject. ${hint}`,
  );
}
