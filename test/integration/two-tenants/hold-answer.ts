import type { Operation, OperationName } from "@toolwright/engine/operations";
import Ajv, { type ValidateFunction } from "ajv/dist/2020.js";
import { operations } from "../../../scripts/product-subjects.ts";

const ajv = new Ajv.default({ strict: false, validateFormats: false });
const found = new Map(operations.map((operation: Operation) => [operation.name, operation]));
const checks = new Map<OperationName, ValidateFunction>();

/** What answers of operations have that the schemas of these do not say, or lack: nothing parses an answer on its way. */
export const misfits = new Set<string>();

export function holdAnswer(name: OperationName, answer: unknown): void {
  const check = checks.get(name) ?? ajv.compile((found.get(name) as Operation).output.json);
  checks.set(name, check);
  if (check(JSON.parse(JSON.stringify(answer)))) return;
  for (const { instancePath, message, params } of check.errors ?? [])
    misfits.add(`${name} at ${instancePath}: ${message} ${JSON.stringify(params)}`);
}
