import { RequestError } from "./client.ts";

/** What went wrong, in one sentence for the person who did it. */
export function wordsOf(error: unknown): string {
  if (error instanceof RequestError && error.code === "connection_failed" && error.status === undefined)
    return "The server does not answer. What you typed is kept; try again when it is back.";
  if (error instanceof TypeError && /dynamically imported module|preload CSS/.test(error.message))
    return "A part of this page could not be loaded. What you typed is kept; the page loads again when the server answers.";
  return error instanceof Error ? error.message : String(error);
}

export const isSignedOut = (error: unknown): boolean => error instanceof RequestError && error.code === "unauthenticated";
