import { type CallEvent, type Client, createClient, RequestError, visibleText } from "@toolwright/doors/rest/client";
import { readKept, writeKept } from "../parts/kept.ts";

export type { CallEvent };
/** How a call ended, or that it waits for a person. */
export type CallResult = Extract<CallEvent, { readonly event: "result" }>["data"];
export { RequestError, visibleText };

const keyName = "toolwright.key";

let client: Client | undefined;

/** The one client of the page. The cookie of a sign-in goes along by itself; a key is kept until the tab closes. */
export function api(): Client {
  client ??= createClient({ url: location.origin, key: readKept("session", keyName) });
  return client;
}

/** Whether somebody gave the page a key. */
export const hasKey = (): boolean => readKept("session", keyName) !== undefined;

/** Undefined forgets the key. */
export function keepKey(key: string | undefined): void {
  writeKept("session", keyName, key);
  client = createClient({ url: location.origin, key });
}

/** Forgets the key, ends the sign-in of this browser where people have accounts, and leaves the page with all that it shows. */
export async function signOut(withAccount: boolean): Promise<void> {
  keepKey(undefined);
  if (!withAccount) return location.reload();
  const ended = await fetch("/auth/sign-out", { method: "POST", body: new URLSearchParams() }).catch(() => undefined);
  // Where that failed, the page of the account tries again and says so.
  location.assign(ended?.ok ? ended.url : "/auth/account");
}
