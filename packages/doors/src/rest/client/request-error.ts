import type { CallResult } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import type { Problem, ProblemIssue } from "../problem.ts";
import type { ProblemCode } from "../problem-codes.ts";

/** What a request came to that did not succeed: a problem that the server answered with, or `connection_failed` where no server of ours answered. */
export class RequestError extends ToolwrightError<ProblemCode> {
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  readonly callId: string | undefined;
  /** The tool's own code. */
  readonly toolCode: string | undefined;
  /** Places of the input that do not fit. */
  readonly issues: readonly ProblemIssue[];
  /** How the call ended, where it was one. */
  readonly result: CallResult | undefined;
  /** Milliseconds after which the request can be made again, where a limit refused it. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    about: Partial<Problem> & { readonly cause?: unknown; readonly retryAfter?: string | null } = {},
  ) {
    const { details, cause } = about;
    super(code, message, { ...(details !== undefined && { details }), cause });
    this.name = "RequestError";
    this.status = about.status;
    this.callId = about.callId;
    this.toolCode = about.toolCode;
    this.issues = about.issues ?? [];
    this.result = about.result;
    this.retryAfterMs = about.retryAfter ? Number(about.retryAfter) * 1000 : undefined;
  }
}

/** The error for an answer that is no success. */
export async function readProblem(response: Response): Promise<RequestError> {
  const { status, headers } = response;
  const answer = (await response.json().catch(() => undefined)) as Partial<Problem> | null | undefined;
  if (typeof answer?.code !== "string" || typeof answer.detail !== "string") return notOurs(response);
  return new RequestError(answer.code, answer.detail, { ...answer, status, retryAfter: headers.get("retry-after") });
}

/** The error for an answer that no server of ours gives: something else is at that address. */
export function notOurs({ status, url }: Response): RequestError {
  return new RequestError("connection_failed", `${url} answered ${status}, and not as a Toolwright server does. Check the address.`, {
    status,
  });
}
