import { documentSource } from "./client-documents.ts";
import { shownClientName } from "./client-name.ts";
import type { SignInHandle } from "./tables.ts";

export interface OAuthClient {
  readonly id: string;
  /** As it calls itself, with hidden characters written out. Nobody has checked it. */
  readonly name: string;
  /** Whose server describes it; undefined for one that registered itself, for which nobody vouches. */
  readonly host: string | undefined;
}

export async function findClient(handle: SignInHandle, id: string): Promise<OAuthClient | undefined> {
  const row = await handle
    .selectFrom("toolwright.oauth_clients")
    .select(["client_id", "name", "client_discovery_id"])
    .where("client_id", "=", id)
    .executeTakeFirst();
  return row && { id, name: shownClientName(row), host: row.client_discovery_id === documentSource ? new URL(id).host : undefined };
}
