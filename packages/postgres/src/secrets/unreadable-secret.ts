import { ToolwrightError } from "@toolwright/engine/errors";
import type { UnreadableSecret } from "@toolwright/engine/ports";
import type { SecretAddress } from "./seal-secret.ts";

/** Throws on what is no `secret_unreadable`. */
export function whyUnreadable({ tenant, agent, name }: SecretAddress, error: unknown): UnreadableSecret {
  if (!ToolwrightError.is(error) || error.code !== "secret_unreadable") throw error;
  return { tenant, ...(agent !== "" && { agent }), name, reason: error.message };
}
