import type { CallResult, DoneResult, Json, PendingResult, Progress, ToolTypes } from "@toolwright/engine";
import type { OperationName, OperationTypes } from "@toolwright/engine/operations";
import type { Clock } from "@toolwright/engine/ports";

export interface ClientOptions {
  /** Address of the server, such as `https://tools.example.org`. */
  readonly url: string;
  /** API key or access token. Default: none, for a server that asks nobody who they are. */
  readonly key?: string | undefined;
  /** Path of the server's REST door. Default `/api`. */
  readonly path?: string;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Waits before a stream is opened again. Default: the platform's timers. */
  readonly clock?: Pick<Clock, "after">;
}

/** Types of tools where nobody said them: any name, any input, any JSON. */
export type AnyTools = Readonly<Record<string, { readonly input: unknown; readonly output: Json }>>;

type InputTo<Types extends ToolTypes, Name extends keyof Types> = Types[Name] extends { readonly input: infer Input } ? Input : never;
type OutputOf<Types extends ToolTypes, Name extends keyof Types> = Types[Name] extends { readonly output: infer Output } ? Output : never;

/** How a request is made beside what it asks for. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** The session that it belongs to. */
  readonly session?: string | undefined;
}

export interface FollowOptions extends RequestOptions {
  /** Hears each time that the connection is lost; it is opened again. */
  readonly onLost?: (() => void) | undefined;
}

export interface CallOptions extends RequestOptions {
  /** One call for one key, for 24 hours: a repetition gets the first answer. */
  readonly idempotencyKey?: string | undefined;
  readonly attachments?: readonly File[];
}

export interface WaitingOptions extends CallOptions {
  /** Seconds to wait for the ending; the call then runs on by itself. 0: answers as soon as it runs. */
  readonly wait: number;
}

export interface StreamOptions extends CallOptions {
  /** True: the call runs on when nobody reads the stream any more; `cancel` ends it. Default: it is then cancelled. */
  readonly runsOn?: boolean;
  /** True: the result holds what was streamed as output, too. Default: it does not, for who shows both. */
  readonly wholeResult?: boolean | undefined;
}

/** A message to an agent. */
export interface TurnRequest {
  readonly message: string;
  /** Default: a new one. */
  readonly conversation?: string | undefined;
  /** True: stops the turn that runs in the conversation. Default: the message waits for its next step. */
  readonly interrupt?: boolean | undefined;
}

/** A call that runs on by itself: `operate("runs.get", { id: callId })` tells how it ended. */
export interface RunningCall {
  readonly status: "running";
  readonly callId: string;
  /** Path of its run. */
  readonly run: string;
}

/** What a stream of a call tells: that it runs, how far it is, what its tool says and wrote, and last how it ended. */
export type CallEvent<Output = Json> =
  | { readonly event: "started"; readonly data: { readonly callId: string } }
  | { readonly event: "progress"; readonly data: Progress }
  | { readonly event: "log"; readonly data: { readonly level: "debug" | "info" | "warn" | "error"; readonly message: string } }
  | { readonly event: "output"; readonly data: { readonly text: string } }
  | { readonly event: "result"; readonly data: CallResult<Output> };

/** What following an operation gives: the items of its list. */
export type ItemOf<Name extends OperationName> = OperationTypes[Name]["output"] extends { readonly items: readonly (infer Item)[] }
  ? Item
  : never;

/**
 * A server's tools and operations. Everything rejects with a `RequestError` where the answer is a problem: a call that was denied, failed or
 * cancelled too, with its `result`.
 *
 * @typeParam Types - of the server's tools: `TypesOf<typeof tools>`.
 */
export interface Client<Types extends ToolTypes = AnyTools> {
  /** Does an operation; its name decides the types. */
  operate<Name extends OperationName>(
    name: Name,
    input: OperationTypes[Name]["input"],
    options?: RequestOptions,
  ): Promise<OperationTypes[Name]["output"]>;
  /** Lists what an operation would list from now on, or after what its input names, until the signal aborts. Comes back where it was when the connection is lost. */
  follow<Name extends OperationName>(
    name: Name,
    input: OperationTypes[Name]["input"],
    options?: FollowOptions,
  ): AsyncIterable<ItemOf<Name>>;
  /** Makes a call, which is done or waits for a person. With `wait`, it may run on. */
  call<Name extends keyof Types & string>(
    name: Name,
    input: InputTo<Types, Name>,
    options: WaitingOptions,
  ): Promise<DoneResult<OutputOf<Types, Name>> | PendingResult | RunningCall>;
  call<Name extends keyof Types & string>(
    name: Name,
    input: InputTo<Types, Name>,
    options?: CallOptions,
  ): Promise<DoneResult<OutputOf<Types, Name>> | PendingResult>;
  /** Makes a call and tells of it while it runs; its ending, whichever it is, comes last. Who stops reading cancels the call, unless it `runsOn`. */
  stream<Name extends keyof Types & string>(
    name: Name,
    input: InputTo<Types, Name>,
    options?: StreamOptions,
  ): AsyncIterable<CallEvent<OutputOf<Types, Name>>>;
  /** Runs an approved call, once. */
  resume(approvalId: string, options?: CallOptions): Promise<DoneResult | PendingResult>;
  /** Runs an approved call, once, and tells of it as `stream` does. */
  streamResumed(approvalId: string, options?: StreamOptions): AsyncIterable<CallEvent>;
  /** Cancels a call of one's own that runs on by itself. Its run tells how it ended. */
  cancel(callId: string, options?: RequestOptions): Promise<void>;
  /**
   * Sends an agent a message. Resolves to the turn that has it, which is another one's where a turn of the conversation is open and is not
   * interrupted; or to a call that waits for a person first.
   */
  beginTurn(agent: string, request: TurnRequest, options?: CallOptions): Promise<OperationTypes["turns.get"]["output"] | PendingResult>;
  /** What a call kept, whole or a part of it: read the answer as bytes, text or a stream. */
  artifact(
    id: string,
    options?: RequestOptions & { readonly range?: { readonly offset: number; readonly length: number } },
  ): Promise<Response>;
}
