import { type DescribedCode, ownErrors } from "../contract/errors.ts";
import type { Port } from "../ports/define-port.ts";
import type { Operation, OperationEntry } from "./define-operation.ts";
import type { ShellGroup } from "./shell.ts";

/** A permission that operations ask for, said once by the subject that it is of. Tools ask for others, `area.scope.verb`. */
export interface Permission {
  readonly name: string;
  /** What whoever has it may do, after "may": `see and end jobs and schedules of others`. */
  readonly about: string;
}

/** Work that goes on beside requests, in processes that stay. */
export interface Loop {
  /** `read_documents`. */
  readonly name: string;
  /** The work of the loop as a predicate for the sentence "A server ...": `reads documents that wait`. */
  readonly about: string;
}

/** A subject of the product: what belongs to one thing that people speak of. What it says is its own, and no other subject says it. */
export interface Subject<
  Name extends string = string,
  Operations extends readonly Operation[] = readonly Operation[],
  Store extends readonly Port[] = readonly Port[],
> {
  /** A plural noun: `rooms`. */
  readonly name: Name;
  /** Its operations may ask for permissions of other subjects, too. */
  readonly permissions?: readonly Permission[];
  /** What fails in it, by stable codes such as `room_not_found`. */
  readonly errors?: Readonly<Record<string, DescribedCode>>;
  /** Ports that the operations of this subject work on. `createEngine` takes an adapter for each in `administration`. */
  readonly store?: Store;
  /** The capability by which tools reach it: its tools are those that declare effects of this name. */
  readonly tools?: string;
  readonly loops?: readonly Loop[];
  /** All that doors serve of it. What is in no subject does not exist for any door. */
  readonly operations: Operations;
  /** The groups of its commands, by their first word. */
  readonly shell?: Readonly<Record<string, ShellGroup>>;
}

/** The subjects of a package without what they do: a start and doors read it, and a subject loads when somebody first asks for one of its operations. */
export interface SubjectIndex {
  /** Every operation, in the order of the subjects. */
  readonly operations: readonly OperationEntry[];
  /** Names of subjects by the ports of their stores. */
  readonly ports: Readonly<Record<string, string>>;
  /** Load a subject with the schemas of its operations. */
  readonly loaders: Readonly<Record<string, () => Promise<Subject>>>;
}

/**
 * Defines a subject. What there can be once is refused where it is there twice, with both places: an operation, route, command, permission, error
 * code, port, capability of tools or loop.
 */
export function defineSubject<
  const Name extends string,
  const Operations extends readonly Operation[],
  const Store extends readonly Port[] = readonly [],
>(subject: Subject<Name, Operations, Store>): Subject<Name, Operations, Store> {
  refuseDoubles(subject.operations);
  refuseShared([subject]);
  return subject;
}

/**
 * The operations of all subjects, in their order. Refuses doubles as `defineSubject` does, a permission or port that an operation names and no
 * subject says, and a port that no operation works on.
 */
export function operationsOf<const Subjects extends readonly Subject[]>(
  subjects: Subjects,
): readonly Subjects[number]["operations"][number][] {
  const operations = subjects.flatMap((subject) => subject.operations);
  refuseDoubles(operations);
  refuseShared(subjects);
  const permissions = ownersOf(subjects, "permission");
  const stores = new Map(subjects.flatMap(({ name, store = [] }) => store.map((port) => [port.name, { port, subject: name }] as const)));
  const worked = new Set<Port>();
  for (const { name: subject, operations } of subjects)
    for (const { name, permission, needs, uses } of operations) {
      if (permission !== undefined && !permissions.has(permission))
        throw new Error(
          `The operation ${name} of ${subject} needs the permission ${permission}, which no subject has among its permissions.`,
        );
      for (const port of [...needs, ...uses]) {
        const owner = stores.get(port.name);
        if (owner === undefined)
          throw new Error(`The operation ${name} of ${subject} works on the port ${port.name}, which no subject has in its store.`);
        if (owner.port !== port)
          throw new Error(
            `The operation ${name} of ${subject} works on another port ${port.name} than the one in the store of ${owner.subject}. Define it once, and import it.`,
          );
        worked.add(port);
      }
    }
  for (const { port, subject } of stores.values())
    if (!worked.has(port)) throw new Error(`The subject ${subject} has the port ${port.name} in its store, and no operation works on it.`);
  return operations;
}

/** What a subject says once, and nobody else. */
const belongings = {
  permission: ({ permissions = [] }: Subject) => permissions.map(({ name }) => name),
  "error code": ({ errors = {} }: Subject) => Object.keys(errors),
  port: ({ store = [] }: Subject) => store.map(({ name }) => name),
  "capability of tools": ({ tools }: Subject) => (tools === undefined ? [] : [tools]),
  loop: ({ loops = [] }: Subject) => loops.map(({ name }) => name),
};

/** The subjects by what they say of one kind. Throws where two say the same. */
function ownersOf(subjects: readonly Subject[], what: keyof typeof belongings): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const subject of subjects)
    for (const name of belongings[what](subject)) {
      const other = owners.get(name);
      if (other !== undefined) throw new Error(`The subjects ${other} and ${subject.name} say the ${what} ${name}. It belongs to one.`);
      owners.set(name, subject.name);
    }
  return owners;
}

function refuseShared(subjects: readonly Subject[]): void {
  for (const { name, errors = {} } of subjects)
    for (const code of Object.keys(errors))
      if (Object.hasOwn(ownErrors, code)) throw new Error(`The error code ${code} is of calls, and the subject ${name} says it too.`);
  for (const what of Object.keys(belongings) as (keyof typeof belongings)[]) ownersOf(subjects, what);
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
}
