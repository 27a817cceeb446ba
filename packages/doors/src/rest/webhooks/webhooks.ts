import type { Json, Principal } from "@toolwright/engine";
import type { SignedWebhook } from "@toolwright/engine/ports";

/** Where others send webhooks, which they sign. */
export interface Webhooks {
  /** Undefined for a hook that there is not, and for what its secret did not sign. */
  verify(hook: string, webhook: SignedWebhook): Promise<VerifiedWebhook | undefined>;
}

/** A webhook that was signed with the secret of its hook. */
export interface VerifiedWebhook {
  /** As whom the hook acts. */
  readonly principal: Principal;
  /** False for one that was signed too long ago, or for later. */
  readonly isFresh: boolean;
  /** What is called for it. */
  call(text: string): { readonly tool: string; readonly input: Json };
}
