import type { MaybeGiven } from "../ports/define-port.ts";
import type { Operation } from "./define-operation.ts";
import type { Subject } from "./define-subject.ts";
import type * as own from "./subjects.ts";

type OperationsIn<Exported> = Exported[keyof Exported] extends Subject<string, infer Operations> ? Operations[number] : never;

/** Inputs and outputs by the names of operations, of subjects as a module exports them. */
export type TypesOf<Exported> = {
  readonly [Each in OperationsIn<Exported> as Each["name"]]: Each extends Operation<string, infer Input, infer Output>
    ? { readonly input: Input; readonly output: Output }
    : never;
};

/** Types of the adapters for the ports of all subjects that a module exports. */
export type PortsOf<Exported> = MaybeGiven<Exported[keyof Exported] extends Subject<string, infer _, infer Store> ? Store[number] : never>;

/** Inputs and outputs of the operations by name. The package of a subject adds its own. */
export interface OperationTypes extends TypesOf<typeof own> {}

/** Name of an operation, such as `approvals.answer`. */
export type OperationName = keyof OperationTypes & string;

/** What operations work on beside the stores of calls. An operation whose port is left out is unavailable. The package of a subject adds its own. */
export interface Administration extends PortsOf<typeof own> {}
