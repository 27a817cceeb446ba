import { schemaCheckFor } from "@better-auth/core/db/internal";
import { betterAuth } from "better-auth";
import { type AuthParts, authOptions, type SignInOptions } from "../auth-options.ts";

/** The sign-in library as `createSignIn` sets it up, for tests of the tables behind it. */
export async function openLibrary(parts: AuthParts, options: SignInOptions) {
  const { adapter, internalAdapter } = await betterAuth(authOptions(parts, options)).$context;
  return { internalAdapter, checkTables: schemaCheckFor(adapter) };
}
