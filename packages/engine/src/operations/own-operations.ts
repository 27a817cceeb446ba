import type { Operation } from "./define-operation.ts";
import { operationsOf, type Subject } from "./define-subject.ts";
import type { OperationName } from "./operation-types.ts";
import * as exported from "./subjects.ts";

/** The subjects of the engine, in the order of their names. */
export const subjects: readonly Subject[] = Object.values(exported).sort((one, other) => (one.name < other.name ? -1 : 1));

/** Every operation of the engine, in the order of the subjects. */
export const operations: readonly Operation<OperationName>[] = operationsOf(subjects) as readonly Operation<OperationName>[];
