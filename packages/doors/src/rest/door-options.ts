import type { Engine, Logger, Principal } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import type { GuardOptions } from "../http/authentication.ts";
import type { Refusal } from "../http/guard-request.ts";
import type { ServerFacts } from "./openapi/document.ts";
import type { StreamSlots } from "./stream-slots.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

export interface RestDoorOptions extends GuardOptions {
  readonly engine: Engine;
  /** What the OpenAPI document calls the server. Default: `toolwright`, without a version of its own. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** Path that every route begins with. Default `/api`. */
  readonly path?: string;
  /**
   * Who a caller is for operations: whether an answer of theirs is believed to be a person's (`interactive`), and what they may administer.
   * Default: a user is a person where authentication does not say otherwise.
   */
  readonly operator?: (principal: Principal, request: Request) => Principal | Promise<Principal>;
  /** The surface that a request came through, as the log names it. Default: `form` for pages of this server, else `rest`. */
  readonly caller?: (principal: Principal, request: Request) => Principal;
  /** Bytes of a JSON body. Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Bytes of a multipart body with attachments. Default 50 MiB. */
  readonly maxAttachmentBytes?: number;
  /** Levels of nesting in a body. Default 64. */
  readonly maxJsonDepth?: number;
  /** Calls that run on without their callers at one time; a tenant may have a quarter of them, one caller a sixteenth. Default 1000. */
  readonly maxDetached?: number;
  /** Streams of events that are open at one time; a tenant may have a quarter of them, one caller a sixteenth. Default 4000. */
  readonly maxStreams?: number;
  /** Turns of agents, where the server has agents: `POST /agents/{agent}/turns` and `GET /turns/{id}/stream`. */
  readonly turns?: TurnCalls | undefined;
  /** Webhooks of others, where the server takes them: `POST /hooks/{hook}`. */
  readonly webhooks?: Webhooks | undefined;
  readonly clock?: Clock;
  /** Default: says nothing. */
  readonly logger?: Logger;
}

/** How turns of agents begin. */
export interface TurnCalls {
  /** Name of the tool that begins one: it takes `agent`, `message` and `conversation`, and gives the id of the `turn` that has the message. */
  readonly tool: string;
  /** Resolves to the id of the turn that a call began, once it is there; to undefined for a call that ended, which `ended` tells, without one. */
  turnOf(call: TurnCall, ended: AbortSignal): Promise<string | undefined>;
}

/** A call that begins a turn, or finds the one that the same caller began with the same idempotency key. */
export interface TurnCall {
  readonly callId: string;
  readonly key: string | undefined;
  readonly principal: Principal;
}

/** What the handlers of one door share. */
export interface RestParts {
  readonly engine: Engine;
  /** Path that every route begins with. */
  readonly base: string;
  readonly server: ServerFacts;
  readonly operator: (principal: Principal, request: Request) => Principal | Promise<Principal>;
  readonly callerOf: (principal: Principal, request: Request) => Principal;
  readonly limits: { readonly maxBytes: number; readonly maxDepth: number; readonly maxAttachmentBytes: number };
  readonly streams: StreamSlots;
  /** Who asks, as every request is judged. */
  readonly guard: (request: Request) => Promise<Principal | Refusal>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const mebibyte = 1024 * 1024;

export const defaultLimits = { maxBytes: 4 * mebibyte, maxAttachmentBytes: 50 * mebibyte, maxDepth: 64 };
