import { ToolwrightError } from "@toolwright/engine";
import type { SecretAddress } from "./seal-secret.ts";

export interface UnreadableSecret {
  readonly tenant: string;
  /** Left out for a secret of the whole tenant. */
  readonly agent?: string;
  readonly name: string;
  readonly reason: string;
}

/** Throws on what is no `secret_unreadable`. */
export function whyUnreadable({ tenant, agent, name }: SecretAddress, error: unknown): UnreadableSecret {
  if (!ToolwrightError.is(error) || error.code !== "secret_unreadable") throw error;
  return { tenant, ...(agent !== "" && { agent }), name, reason: error.message };
}
