import type { Json, Principal } from "@toolwright/engine";

/** Where others send webhooks, which they sign. */
export interface Webhooks {
  /** Undefined for a hook that there is not, and for what its secret did not sign. */
  verify(hook: string, webhook: ReceivedWebhook): Promise<VerifiedWebhook | undefined>;
  /** The text that a service gets which asks before it sends anything; undefined where it does not know the hook. */
  confirm(hook: string, query: URLSearchParams): Promise<string | undefined>;
}

/** A webhook as it came. */
export interface ReceivedWebhook {
  /** By name in lower case; empty where there is none. */
  readonly header: (name: string) => string;
  readonly body: Uint8Array;
}

/** A webhook that was signed with the secret of its hook. */
export interface VerifiedWebhook {
  /** As whom the hook acts. */
  readonly principal: Principal;
  /** Id of the delivery; a delivery that is sent again keeps it. */
  readonly id: string;
  /** False for one that was signed too long ago, or for later. */
  readonly isFresh: boolean;
  /** What is called for it; undefined for what nobody has to answer. */
  call(text: string, json: Json): { readonly tool: string; readonly input: Json } | undefined;
}
