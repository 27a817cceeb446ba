import type { MaybeGiven } from "../ports/define-port.ts";
import type { Operation } from "./define-operation.ts";
import { operationsOf, type Permission, type Subject } from "./define-subject.ts";
import * as exported from "./subjects.ts";

type AnySubject = (typeof exported)[keyof typeof exported];
type AnyOperation = AnySubject["operations"][number];

/** Every subject, in the order of their names. */
export const subjects: readonly AnySubject[] = Object.values(exported).sort((one, other) => (one.name < other.name ? -1 : 1));

/** Every operation, in the order of the subjects. */
export const operations: readonly AnyOperation[] = operationsOf(subjects);

/** Every permission that operations ask for, in the order of their names. */
export const permissions: readonly Permission[] = subjects
  .flatMap((subject: Subject) => subject.permissions ?? [])
  .sort((one, other) => (one.name < other.name ? -1 : 1));

/** Name of an operation, such as `approvals.answer`. */
export type OperationName = AnyOperation["name"];

/** Inputs and outputs of the operations by name. */
export type OperationTypes = {
  readonly [Each in AnyOperation as Each["name"]]: Each extends Operation<string, infer Input, infer Output>
    ? { readonly input: Input; readonly output: Output }
    : never;
};

/** What operations work on beside the stores of calls. An operation whose port is left out is unavailable. */
export type Administration = MaybeGiven<NonNullable<AnySubject["store"]>[number]>;
