import { answerApproval, getApproval, listApprovals, proposeAnswer } from "./approvals.ts";
import type { Operation } from "./define-operation.ts";
import { currentPolicy, diffPolicy, policyVersions, putPolicy, revertPolicy } from "./policy.ts";
import { getRun, listRuns } from "./runs.ts";
import { createSession, getSession, listSessions, updateSession } from "./sessions.ts";
import { getTool, listTools, toolSchema } from "./tools.ts";

/** Every operation. What is not in this list does not exist for any door. */
export const operations = [
  ...[listTools, getTool, toolSchema],
  ...[listApprovals, getApproval, answerApproval, proposeAnswer],
  ...[listRuns, getRun],
  ...[listSessions, getSession, createSession, updateSession],
  ...[currentPolicy, policyVersions, diffPolicy, putPolicy, revertPolicy],
] as const;

type AnyOperation = (typeof operations)[number];

/** Name of an operation, such as `approvals.answer`. */
export type OperationName = AnyOperation["name"];

/** Inputs and outputs of the operations by name. */
export type OperationTypes = {
  readonly [Each in AnyOperation as Each["name"]]: Each extends Operation<string, infer Input, infer Output>
    ? { readonly input: Input; readonly output: Output }
    : never;
};
