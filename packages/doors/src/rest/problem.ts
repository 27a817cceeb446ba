import type { CallResult, Json, ToolwrightError } from "@toolwright/engine";
import { WrittenResponse } from "../http/written-response.ts";
import { type ProblemCode, problemCodes, problemStatuses } from "./problem-codes.ts";

/** One place of an input that does not fit. */
export interface ProblemIssue {
  /** RFC 6901, into the input; "" is the whole. */
  readonly pointer: string;
  readonly message: string;
}

/** RFC 9457, with the members that are ours behind `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  /** The tool's own code. */
  readonly toolCode?: string;
  readonly callId?: string;
  readonly issues?: readonly ProblemIssue[];
  readonly details?: Json;
  /** How the call ended, as a call inside the program is answered. */
  readonly result?: CallResult;
}

interface Described extends Pick<Problem, "toolCode" | "callId" | "result"> {
  readonly code: ProblemCode;
  readonly message: string;
  readonly details?: Json | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What went wrong, as `application/problem+json`. */
export function problem({ code, message, details, headers, ...rest }: Described): Response {
  const status = problemStatuses[code];
  const issues = issuesOf(details);
  const body: Problem = {
    ...{ type: `urn:toolwright:problem:${code}`, title: problemCodes[code].means, status, detail: message, code },
    ...rest,
    ...(issues ? { issues } : details !== undefined && { details }),
  };
  return WrittenResponse.json(body, {
    status,
    headers: { "content-type": "application/problem+json", ...limitHeaders(details), ...headers },
  });
}

/** An error of the engine as a problem. */
export function problemOf({ code, message, details }: ToolwrightError): Response {
  return problem({ code, message, details });
}

/** The places that a parse of an input names. */
function issuesOf(details: Json | undefined): readonly ProblemIssue[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined;
  const issues = details.flatMap((each) => (isPlace(each) ? [{ pointer: each.path, message: each.message }] : []));
  return issues.length === details.length ? issues : undefined;
}

function isPlace(value: Json): value is { readonly path: string; readonly message: string } {
  return typeof value === "object" && value !== null && "path" in value && "message" in value && typeof value.path === "string";
}

/** Where a limit refused: when to come again, and which limit it was (draft-ietf-httpapi-ratelimit-headers). */
function limitHeaders(details: Json | undefined): Readonly<Record<string, string>> {
  if (typeof details !== "object" || details === null) return {};
  const { retryAfterMs, rule: name } = details as Readonly<Record<string, Json | undefined>>;
  if (typeof retryAfterMs !== "number") return {};
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const rule = typeof name === "string" ? name.replace(/[^\x20-\x7e]|["\\]/g, "") : "limit";
  return { "retry-after": String(seconds), ratelimit: `"${rule}";r=0;t=${seconds}` };
}
