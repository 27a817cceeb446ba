export { type Authentication, type HashedToken, openAccess, tokenAccess } from "../http/authentication.ts";
export type { RestDoorOptions, TurnCall, TurnCalls } from "./door-options.ts";
export type { Problem, ProblemIssue } from "./problem.ts";
export { type ProblemCode, problemStatuses } from "./problem-codes.ts";
export { createRestDoor, type RestDoor } from "./rest-door.ts";
export type { ReceivedWebhook, VerifiedWebhook, Webhooks } from "./webhooks/webhooks.ts";
