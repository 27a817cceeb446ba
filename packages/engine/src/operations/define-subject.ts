import type { Port } from "../ports/define-port.ts";
import type { Operation } from "./define-operation.ts";
import type { ShellGroup } from "./shell.ts";

/** A permission that operations ask for, said once by the subject that it is of. Tools ask for others, `area.scope.verb`. */
export interface Permission {
  readonly name: string;
  /** What whoever has it may do, after "may": `see and end jobs and schedules of others`. */
  readonly about: string;
}

/** A subject of the product: what belongs to one thing that people speak of. */
export interface Subject<Name extends string = string, Operations extends readonly Operation[] = readonly Operation[]> {
  /** A plural noun: `rooms`. */
  readonly name: Name;
  /** Those that are its own: its operations may ask for those of other subjects, too. */
  readonly permissions?: readonly Permission[];
  /** All that doors serve of it. What is in no subject does not exist for any door. */
  readonly operations: Operations;
  /** The groups of its commands, by their first word. */
  readonly shell?: Readonly<Record<string, ShellGroup>>;
}

/** Defines a subject. What there can be once is refused where it is there twice, with both places: an operation, route, command, permission or port. */
export function defineSubject<const Name extends string, const Operations extends readonly Operation[]>(
  subject: Subject<Name, Operations>,
): Subject<Name, Operations> {
  refuseDoubles(subject.operations);
  namePermissions([subject]);
  return subject;
}

/** The operations of all subjects, in their order. Refuses doubles as `defineSubject` does, and a permission that no subject says. */
export function operationsOf<const Subjects extends readonly Subject[]>(
  subjects: Subjects,
): readonly Subjects[number]["operations"][number][] {
  const operations = subjects.flatMap((subject) => subject.operations);
  refuseDoubles(operations);
  const said = namePermissions(subjects);
  for (const { name, operations } of subjects)
    for (const { name: operation, permission } of operations)
      if (permission !== undefined && !said.has(permission))
        throw new Error(
          `The operation ${operation} of ${name} needs the permission ${permission}, which no subject has among its permissions.`,
        );
  return operations;
}

/** The subjects by the permissions that they say. */
function namePermissions(subjects: readonly Subject[]): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const { name, permissions = [] } of subjects)
    for (const permission of permissions) {
      const other = said.get(permission.name);
      if (other !== undefined)
        throw new Error(`The subjects ${other} and ${name} say the permission ${permission.name}. It belongs to one.`);
      said.set(permission.name, name);
    }
  return said;
}

const identities: Readonly<Record<string, (operation: Operation) => readonly string[]>> = {
  name: ({ name }) => [name],
  // Members match any word: which one is named does not tell two routes apart.
  route: ({ route: { method, path } }) => [`${method} ${path.replace(/\{\w+\}/g, "{}")}`],
  command: ({ shell }) => shell.map(({ form, instead }) => [...commandWords(form), ...(instead ? [instead.flags] : [])].join(" ")),
};

/** The words of a command before its first member. */
export const commandWords = (form: string): readonly string[] => form.split(" ").filter((word) => /^[a-z]/.test(word));

function refuseDoubles(operations: readonly Operation[]): void {
  for (const [what, identify] of Object.entries(identities)) {
    const known = new Map<string, string>();
    for (const operation of operations)
      for (const identity of identify(operation)) {
        const other = known.get(identity);
        if (other !== undefined) throw new Error(`The operations ${other} and ${operation.name} have the same ${what}: ${identity}.`);
        known.set(identity, operation.name);
      }
  }
  refuseOtherPorts(operations);
}

/** Refuses a second value for the name of a port: `createEngine` is given one thing for it. */
function refuseOtherPorts(operations: readonly Operation[]): void {
  const known = new Map<string, { readonly port: Port; readonly by: string }>();
  for (const { name: by, needs, uses } of operations)
    for (const port of [...needs, ...uses]) {
      const other = known.get(port.name);
      if (other && other.port !== port)
        throw new Error(`The operations ${other.by} and ${by} work on two ports of the name ${port.name}. Define it once, and import it.`);
      known.set(port.name, other ?? { port, by });
    }
}
