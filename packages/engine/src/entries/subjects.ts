// All operations with their schemas, for who writes documents of them. What only does operations loads each subject when it is first asked for.
export { callResults } from "../operations/call-results.ts";
export { argumentsOf } from "../operations/define-operation.ts";
export { commandWords, operationsOf } from "../operations/define-subject.ts";
export { operations, subjects } from "../operations/own-operations.ts";
export { assumedMachine, endedUnasked, type FlippedCall, seesLengths, seesRedacted, toFlipped } from "../operations/simulate.ts";
