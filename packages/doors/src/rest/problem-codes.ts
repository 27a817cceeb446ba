import { type DescribedCode, type ErrorCode, type ErrorKind, errorCodes, errorRemedies, formsByCode } from "@toolwright/engine/errors";

/** Kinds of errors that only HTTP has, with what to do about them. */
const requestRemedies = {
  malformed: "Correct the request.",
  unauthenticated: "Send credentials that are known here and have not expired.",
  wrong_method: "Use a method that `Allow` names.",
  precondition: "Read it again, and make the request for what there is now.",
  media_type: "Send the body in a media type that the message names.",
  range: "Ask for bytes that are there.",
} as const;

type ProblemKind = ErrorKind | keyof typeof requestRemedies;

/** What goes wrong with a request before any operation or tool hears of it, and endings of calls that are no error of the engine. */
const requestCodes = {
  request_malformed: { kind: "malformed", means: "The request cannot be read." },
  request_too_large: { kind: "too_large", means: "The body of the request is too large." },
  request_refused: { kind: "refused", means: "The request is for another host, or comes from another origin." },
  request_proxied: { kind: "refused", means: "A server without sign-in serves nothing that comes through a proxy." },
  token_in_url: { kind: "malformed", means: "A token may not be part of a URL." },
  unauthenticated: { kind: "unauthenticated", means: "Nobody is known by these credentials." },
  scope_missing: { kind: "denied", means: "The token lacks a scope." },
  media_type_unsupported: { kind: "media_type", means: "The body has a media type that is not taken here." },
  route_not_found: { kind: "missing", means: "There is nothing at this path." },
  method_not_allowed: { kind: "wrong_method", means: "The path does not take this method." },
  precondition_failed: { kind: "precondition", means: "What the request was made for has changed." },
  range_not_satisfiable: { kind: "range", means: "The range lies beyond the end." },
  too_many_calls: { kind: "limited", means: "As many calls run on without their callers as may." },
  server_closing: { kind: "unready", means: "The server is closing." },
  call_denied: { kind: "denied", means: "The policy or a person denied the call." },
  call_cancelled: { kind: "conflict", means: "The call was cancelled." },
} as const satisfies Readonly<Record<string, DescribedCode<ProblemKind>>>;

export type ProblemCode = ErrorCode | keyof typeof requestCodes;

/** RFC 9110 statuses of every kind. What a tool could not do is 422: the request was right, and the server did its part. */
const statuses: Readonly<Record<ProblemKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  denied: 403,
  refused: 403,
  missing: 404,
  wrong_method: 405,
  conflict: 409,
  expired: 410,
  precondition: 412,
  too_large: 413,
  media_type: 415,
  range: 416,
  invalid: 422,
  failed: 422,
  limited: 429,
  misconfigured: 500,
  broken: 500,
  defect: 500,
  unimplemented: 501,
  unready: 503,
  unavailable: 503,
  timeout: 504,
  full: 507,
};

/** Every code of a problem, with its kind and what it means. */
export const problemCodes: Readonly<Record<ProblemCode, DescribedCode<ProblemKind>>> = { ...errorCodes, ...requestCodes };

/** The HTTP status of every code. */
export const problemStatuses: Readonly<Record<ProblemCode, number>> = formsByCode(problemCodes, statuses);

export interface ProblemGroup {
  readonly status: number;
  /** What to do about any of them, in general. */
  readonly remedy: string;
  readonly codes: readonly ProblemCode[];
}

/** The codes of each kind, by status. */
export function problemGroups(): readonly ProblemGroup[] {
  const remedies: Readonly<Record<ProblemKind, string>> = { ...errorRemedies, ...requestRemedies };
  const byKind = Map.groupBy(Object.keys(problemCodes) as ProblemCode[], (code) => problemCodes[code].kind);
  return [...byKind]
    .map(([kind, codes]) => ({ status: statuses[kind], remedy: remedies[kind], codes }))
    .sort((one, other) => one.status - other.status);
}
