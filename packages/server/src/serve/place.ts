import type { HashedToken } from "@toolwright/doors/mcp";
import { type AuthSettings, loopback } from "./auth/auth-settings.ts";
import type { ClientAddress } from "./client-address.ts";

/** Whether clients that can ask their person are asked. */
export type Ask = "client" | "never";

/** Where a server listens, how others reach it, and who may. */
export interface Place {
  readonly port: number;
  readonly host: string;
  /** Under which others reach the server; undefined for where it listens. */
  readonly origin: string | undefined;
  readonly addressOf: ClientAddress;
  /** Names that requests may be addressed to. */
  readonly allowedHosts: readonly string[];
  /** One that `toolwright token` made is known by its hash alone. */
  readonly token: string | HashedToken | undefined;
  readonly auth: AuthSettings | undefined;
  /** Bearer token for scraping metrics. Without a token, only this machine may scrape them. */
  readonly metricsToken?: string | undefined;
  /** How other machines reach it without a proxy: under a name, under none that it answers to, or not at all. */
  readonly others: { readonly name: string | undefined } | undefined;
}

/** Names under which others reach the server, without those that every machine has for itself. */
export function ownNames({ allowedHosts, origin }: Pick<Place, "allowedHosts" | "origin">): readonly string[] {
  const names = [...allowedHosts, ...(origin === undefined ? [] : [new URL(origin).hostname])];
  return [...new Set(names)].filter((name) => !loopback.has(name) && name !== "[::1]");
}
