import type { Json } from "@toolwright/engine";
import type { Hook, HttpRequest } from "@toolwright/engine/ports";

/** A webhook as it came. */
export interface ReceivedWebhook {
  /** By name in lower case; empty where there is none. */
  readonly header: (name: string) => string;
  readonly body: Uint8Array;
}

/** What is known of a webhook that was signed with the hook's secret. */
interface SignedMessage {
  /** Id of the message; a message that is sent again keeps it. */
  readonly id: string;
  /** False for one that was signed too long ago, or for later. */
  readonly isFresh: boolean;
}

/** A message that goes out. */
export interface OutboundMessage {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** To whom, where the channel reaches several. */
  readonly to?: string | undefined;
  readonly content: { readonly text: string } | { readonly template: MessageTemplate };
}

export interface MessageTemplate {
  readonly name: string;
  readonly language: string;
  readonly parameters: readonly string[];
}

interface Delivery {
  readonly message: OutboundMessage;
  readonly target: string;
  /** That of the hook's secret. */
  readonly key: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A way on which webhooks come and messages go out. It does no I/O. */
export interface Channel {
  readonly name: string;
  /** The key that a secret of its hooks stands for; undefined for what is none. */
  readonly keyOf: (secret: string) => Uint8Array | undefined;
  /** What such a secret is, for people. */
  readonly secretForm: string;
  /** Undefined for what the key did not sign. */
  readonly verify: (webhook: ReceivedWebhook, key: Uint8Array, now: number) => SignedMessage | undefined;
  /** The part of a webhook that is for the hook, where a service sends what is for several; undefined for none. Default: all of it. */
  readonly partFor?: (json: Json, hook: Pick<Hook, "target">) => Json | undefined;
  /** False for what came and has nothing to answer. Default: there is. */
  readonly isMessage?: (json: Json) => boolean;
  /** Who sent all of it, where what the same one sends goes on in one conversation; undefined for what several sent. */
  readonly senderOf?: (json: Json) => string | undefined;
  /** What a service gets that asks before it sends anything; undefined where it does not know the hook. */
  readonly confirm?: (hook: Pick<Hook, "id">, query: URLSearchParams) => string | undefined;
  /** Without it nothing is sent: messages stay in the log. */
  readonly outgoing?: {
    readonly write: (delivery: Delivery) => HttpRequest;
    /** True where a message that arrives twice counts once. */
    readonly mayRepeat: boolean;
    /** True where every message says to whom it goes. */
    readonly needsRecipient: boolean;
  };
}
