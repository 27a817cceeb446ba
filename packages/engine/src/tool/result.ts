/** A failure that the tool itself foresaw. */
export interface Failure {
  readonly [failureBrand]: true;
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
}

const failureBrand: unique symbol = Symbol.for("toolwright.failure") as never;

/** Ends a tool with a foreseen failure. `code` is snake_case; the message says what to do about it and is shown to the model. */
export function fail(code: string, message: string, details?: unknown): Failure {
  return { [failureBrand]: true, code, message, details };
}

/** True for what `fail` returned, also by another copy of the package. */
export function isFailure(value: unknown): value is Failure {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[failureBrand] === true;
}
