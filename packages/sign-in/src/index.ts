export type { AuthAnswer } from "./auth-caller.ts";
export type { SignInOptions } from "./auth-options.ts";
export { mostDocumentBytes, type ReadDocument } from "./client-documents.ts";
export type {
  AccountDirectory,
  MemberDirectory,
  PersonClient,
  PersonSession,
} from "./directories.ts";
export type { OAuthClient } from "./find-client.ts";
export type { AccessToken } from "./identify-access-token.ts";
export type { NewAccount } from "./make-account.ts";
export type { OidcServer } from "./oidc-config.ts";
export { type AuthRoutesParts, authRoutes, resourceMetadataPath } from "./pages/auth-routes.ts";
export type { PasswordProblem } from "./password-problem.ts";
export type { Question } from "./read-question.ts";
export { createSignIn, type Person, type SignIn, type SignInParts } from "./sign-in.ts";
export type { SignInHandle, SignInTables } from "./tables.ts";
