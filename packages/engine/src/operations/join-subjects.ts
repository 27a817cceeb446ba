import { ToolwrightError } from "../contract/errors.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { Operation, OperationEntry } from "./define-operation.ts";
import type { SubjectIndex } from "./define-subject.ts";
import { engineSubjects } from "./generated/subject-index.ts";

/** The subjects of an engine. */
export interface Subjects {
  /** Every operation that the engine knows, whether or not it was given what the operation works on. */
  readonly operations: readonly OperationEntry[];
  /** Throws `operation_not_found`, with the name that was probably meant. */
  find(name: string): OperationEntry;
  /** Loads the subject of the operation. Rejects as `find` throws. */
  load(name: string): Promise<Operation>;
  /** Returns the adapters for the ports of operations. Throws `settings_invalid` for a member that is the port of no subject, because no operation would read it. */
  checkPorts<Given extends object>(administration: Given): Given;
}

/** Joins the subjects of packages to those of the engine. Throws for a subject, operation, route or port that two packages have. */
export function joinSubjects(others: readonly SubjectIndex[] = []): Subjects {
  const indexes = [engineSubjects, ...others];
  const loaders = joinUnique(indexes, "subject", ({ loaders }) => Object.entries(loaders));
  const byName = joinUnique(indexes, "operation", ({ operations }) => operations.map((entry) => [entry.name, entry]));
  joinUnique(indexes, "route", ({ operations }) =>
    operations.map(({ name, route }) => [`${route.method} ${route.path.replace(/\{\w+\}/g, "{}")}`, name]),
  );
  const ports = joinUnique(indexes, "port", (index) => Object.entries(index.ports));
  const find = (name: string) => byName.get(name) ?? refuseUnknown(name, byName);
  return {
    operations: [...byName.values()],
    find,
    async load(name) {
      const { subject } = find(name);
      const loaded = await loaders.get(subject)?.();
      return loaded?.operations.find((each) => each.name === name) as Operation;
    },
    checkPorts(administration) {
      const unknown = Object.keys(administration).find((name) => !ports.has(name));
      if (unknown === undefined) return administration;
      const nearest = nearestName(unknown, ports.keys());
      const hint = nearest === undefined ? `Use one of ${[...ports.keys()].join(", ")}.` : `Did you mean ${nearest}?`;
      throw new ToolwrightError(
        "settings_invalid",
        `The engine is given ${unknown} in administration, which is the port of no subject. ${hint}`,
      );
    },
  };
}

function joinUnique<Value>(
  indexes: readonly SubjectIndex[],
  what: string,
  entriesOf: (index: SubjectIndex) => readonly (readonly [string, Value])[],
): ReadonlyMap<string, Value> {
  const joined = new Map<string, Value>();
  for (const index of indexes)
    for (const [key, value] of entriesOf(index)) {
      if (joined.has(key))
        throw new ToolwrightError("settings_invalid", `Two packages have the ${what} ${key}. Give createEngine the subjects of each once.`);
      joined.set(key, value);
    }
  return joined;
}

function refuseUnknown(name: string, known: ReadonlyMap<string, OperationEntry>): never {
  const nearest = nearestName(name, known.keys());
  const shown = JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}...` : name);
  const hint = nearest === undefined ? `Use one of ${[...known.keys()].join(", ")}.` : `Did you mean ${JSON.stringify(nearest)}?`;
  throw new ToolwrightError("operation_not_found", `There is no operation ${shown}. ${hint}`);
}

/** Those of the engine alone. */
export const ownSubjects: Subjects = joinSubjects();
