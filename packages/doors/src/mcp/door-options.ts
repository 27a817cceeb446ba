import type {
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  Implementation,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { Engine, Logger, Principal } from "@toolwright/engine";
import type { ClientSessions, Clock, Ids, SealKeys } from "@toolwright/engine/ports";
import type { GuardOptions } from "../http/authentication.ts";

/** Resources beside the artifacts of calls. *Contract:* answers only what the principal may know; throws nothing but defects. */
export interface McpResources {
  list(principal: Principal): Promise<readonly Resource[]>;
  templates?(principal: Principal): Promise<readonly ResourceTemplateType[]>;
  /** Undefined when there is no such resource. */
  read(uri: string, principal: Principal): Promise<ReadResourceResult | undefined>;
  /** Calls back with the URI of a resource that changed; returns how to stop. With it clients may subscribe. */
  onUpdated?(listener: (uri: string) => void): () => void;
  onListChanged?(listener: () => void): () => void;
}

export interface PromptRequest {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** Answers to what an earlier round asked, by key. They come from the client: check them. */
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
}

export interface McpPrompts {
  list(principal: Principal): Promise<readonly Prompt[]>;
  /** Undefined when there is no such prompt. May ask the client by returning `inputRequired(...)`. */
  get(request: PromptRequest, principal: Principal): Promise<GetPromptResult | InputRequiredResult | undefined>;
  onListChanged?(listener: () => void): () => void;
}

/** Completes an argument of a prompt or of a resource template. */
export type McpCompleter = (request: CompleteRequest["params"], principal: Principal) => Promise<CompleteResult["completion"]>;

/** What every transport of this door needs. */
export interface McpServing {
  readonly engine: Engine;
  readonly serverInfo: Implementation;
  /** For the model: how to use this server as a whole. Default: how approvals, background runs and artifacts work. */
  readonly instructions?: string;
  readonly resources?: McpResources;
  readonly prompts?: McpPrompts;
  /**
   * The HTML file that clients with MCP Apps show the results of tools with, where a tool has a view; it holds the empty element
   * `<script type="application/json" id="view">null</script>`, which gets the view. Asked at each list; undefined while there is none. Default: none.
   */
  readonly viewApp?: () => string | undefined;
  readonly complete?: McpCompleter;
  /**
   * Sign state that clients carry from one request to the next. Processes that serve one URL need the same keys. Default: one random key, so that
   * state does not outlive the process.
   */
  readonly sealKeys?: SealKeys;
  /** False: clients are asked nothing. Approvals are answered at other doors, and tools that ask in the client are refused. Default true. */
  readonly elicit?: boolean;
  /**
   * False: approvals are answered at other doors only. A client that can ask its person is otherwise trusted to really do so, and
   * not to answer by itself. A function says it for each principal, and for the HTTP request that would carry the answer. Default true.
   */
  readonly approveInClient?: boolean | ((principal: Principal, request: Request | undefined) => boolean | Promise<boolean>);
  /**
   * How a person types a command of this product, such as `approvals approve <id>`, for calls of a tenant: clients show it far from the server's
   * own folder and shell. Default: `toolwright` and the words.
   */
  readonly commandLine?: (words: string, tenant: string) => string;
  /** Milliseconds that a person has to answer. Default 10 minutes. */
  readonly answerTtlMs?: number;
  /** Milliseconds between two words of progress, for clients that ask for them. Default 5 seconds. */
  readonly progressMs?: number;
  /** Milliseconds that clients wait for an answer: what takes longer is handed to the background, where the tool can. Default 45 seconds. */
  readonly patienceMs?: number;
  /**
   * Milliseconds that a call has to end before it becomes a task, for clients that declare the extension `io.modelcontextprotocol/tasks`. Default half a
   * second.
   */
  readonly taskAfterMs?: number;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
}

export interface McpDoorOptions extends McpServing, GuardOptions {
  /** Default 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Levels of nesting in a request. Default 256. */
  readonly maxJsonDepth?: number;
  /** Milliseconds after its last request is answered that a 2025-era session ends. Default 1 hour. */
  readonly sessionTtlMs?: number;
  /** Where 2025-era sessions are kept for the process that comes after this one. Default: nowhere, so that they end with the process. */
  readonly clientSessions?: ClientSessions;
  /** Milliseconds that a 2025-era client has to come back to the stream of its call before the call is cancelled. Default 10 seconds. */
  readonly clientGoneMs?: number;
  /**
   * 2025-era sessions at one time, and streams of changes of either era. A tenant may have a quarter of them, one caller a sixteenth. Who has too many
   * loses their own session that was idle for longest; when they have none that is idle, the new one is refused with 429, or with 503 when all are
   * taken. Default 4000, and so 1000 for a tenant and 250 for a caller.
   */
  readonly maxSessions?: number;
}
