import type { Reach } from "../contract/decision.ts";

/** How findings name a request. */
export function requestText({ method, url, credential }: Extract<Reach, { kind: "request" }>): string {
  return credential === undefined ? `${method} ${url}` : `${method} ${url} with the secret ${JSON.stringify(credential)}`;
}

/** Names of the stored secrets that are sent along. */
export function credentialsOf(reaches: readonly Reach[]): readonly string[] {
  return reaches.flatMap((reach) => (reach.kind === "request" && reach.credential !== undefined ? [reach.credential] : []));
}
