import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type CallResult, describeStanding, type InvokeOptions, type PendingResult, type Scope, ToolwrightError } from "@toolwright/engine";
import type { DoorParts } from "../door-parts.ts";
import { type Holder, holderOf } from "../places.ts";
import { type CallState, callKey, invalidState } from "../request-state.ts";
import { approvalQuestion, approvalRequest, readApprovalAnswer } from "./ask-approval.ts";
import { CallConversation, type Round } from "./call-conversation.ts";
import { idempotencyMetaKey } from "./call-meta.ts";
import { clientCapability, missingCapabilities } from "./client-capability.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import { writeResult } from "./write-result.ts";

type Answer = CallToolResult | InputRequiredResult;
type Unsealed = { kind: "approval"; approval: string } | { kind: "question"; conversation: string };
type Run = (options: InvokeOptions) => Promise<CallResult>;

/** One `tools/call` request: a new call, or a later round of one. */
export async function callTool(request: CallToolRequest, ctx: ServerContext, door: { server: Server; parts: DoorParts }): Promise<Answer> {
  return new ToolRequest(request, ctx, door).answer();
}

class ToolRequest {
  readonly #ctx: ServerContext;
  readonly #parts: DoorParts;
  readonly #server: Server;
  readonly #exchange: Exchange;
  readonly #scope: Scope;
  readonly #tool: string;
  readonly #input: unknown;
  readonly #idempotencyKey: unknown;
  #callKey: string | undefined;

  constructor(request: CallToolRequest, ctx: ServerContext, { server, parts }: { server: Server; parts: DoorParts }) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#server = server;
    this.#tool = request.params.name;
    this.#input = request.params.arguments ?? {};
    this.#idempotencyKey = request.params._meta?.[idempotencyMetaKey];
    this.#exchange = openExchange(ctx, parts.capabilitiesOf(ctx, server), this.#tool);
    this.#scope = parts.scopeOf(ctx, { interactive: this.#exchange.can("elicit") });
  }

  async answer(): Promise<Answer> {
    const state = this.#ctx.mcpReq.requestState<CallState>();
    if (!state) return this.#begin();
    this.#parts.seal.check(state, this.#key());
    if (state.kind === "approval") return this.#afterApproval(state.approval);
    const conversation = this.#parts.conversations.take(this.#asker().owner, state.conversation);
    if (!conversation) throw invalidState();
    return this.#finish(conversation, await conversation.resume(this.#exchange));
  }

  #begin(): Promise<Answer> {
    const needed = this.#scope.find(this.#tool)?.effects.client ?? [];
    const missing = missingCapabilities(needed, this.#exchange.capabilities);
    if (missing) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: missing });
    const once = this.#idempotencyKey === undefined ? {} : { idempotencyKey: this.#readKey() };
    return this.#run((options) => this.#scope.invoke(this.#tool, this.#input, { ...options, ...once, takeUpWaiting: true }));
  }

  #readKey(): string {
    const key = this.#idempotencyKey;
    if (typeof key === "string") return key;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `_meta["${idempotencyMetaKey}"] must be a string.`);
  }

  async #run(run: Run): Promise<Answer> {
    const conversation = new CallConversation(this.#exchange);
    const round = await conversation.start(() =>
      run({
        signal: conversation.signal,
        onProgress: (progress) => conversation.exchange.onProgress(progress),
        onLog: (level, message) => conversation.exchange.onLog(level, message),
        capabilities: [clientCapability(conversation)],
      }),
    );
    return this.#finish(conversation, round);
  }

  #resume(approval: string): Promise<Answer> {
    return this.#run((options) => this.#scope.resume(approval, options));
  }

  async #finish(conversation: CallConversation, round: Round): Promise<Answer> {
    if ("questions" in round) return this.#askOn(conversation, round.questions);
    const { result } = round;
    if (result.status === "pending") return this.#wait(result);
    return this.#write(result);
  }

  async #askOn(conversation: CallConversation, questions: InputRequests): Promise<Answer> {
    let handle: string;
    try {
      handle = this.#parts.conversations.put(this.#asker(), conversation);
    } catch (error) {
      return this.#refuse(error);
    }
    return this.#ask(questions, { kind: "question", conversation: handle });
  }

  async #wait(pending: PendingResult): Promise<Answer> {
    if (this.#scope.principal.interactive !== true) return this.#write(pending);
    // The form shows the input as it was repaired: that is what would run.
    const open = (await this.#scope.approvals()).find(({ record }) => record.id === pending.approval.id);
    const offer = await this.#scope.offerRemember(pending.approval.id);
    const question = approvalRequest(pending, open?.record.input ?? this.#input, offer, open && describeStanding(open.record));
    return this.#ask({ [approvalQuestion]: question }, { kind: "approval", approval: pending.approval.id });
  }

  async #afterApproval(approval: string): Promise<Answer> {
    const outcome = readApprovalAnswer(this.#exchange.inputResponses);
    if (outcome === "missing") return this.#resume(approval);
    if (outcome === "dismissed") return this.#stillPending(approval);
    try {
      await this.#scope.answer(approval, outcome);
    } catch (error) {
      // Somebody else may have answered at another door. Then that answer stands, and a replay finds the approval used.
      if (!ToolwrightError.is(error) || error.code !== "approval_already_answered" || outcome.kind !== "approve")
        return this.#refuse(error);
    }
    return this.#resume(approval);
  }

  /** The person closed the form: no answer, and not asked again until the tool is called again. */
  async #stillPending(approval: string): Promise<Answer> {
    const result = await this.#scope.resume(approval, { signal: this.#ctx.mcpReq.signal });
    return this.#write(result);
  }

  #refuse(error: unknown): CallToolResult {
    if (!ToolwrightError.is(error)) throw error;
    return { content: [{ type: "text", text: `Error ${error.code}: ${error.message}` }], isError: true };
  }

  async #ask(inputRequests: NonNullable<InputRequiredResult["inputRequests"]>, state: Unsealed): Promise<Answer> {
    const until = this.#parts.clock.now() + this.#parts.answerTtlMs;
    const requestState = await this.#parts.seal.seal({ ...state, call: this.#key(), until }, this.#ctx);
    return inputRequired({ inputRequests, requestState });
  }

  #write(result: CallResult): CallToolResult {
    const written = writeResult(result);
    if (written.structuredContent === undefined) return written;
    return this.#server.projectCallToolResult(written, this.#scope.find(this.#tool)?.outputSchema);
  }

  /** Names this tool with this input. */
  #key(): string {
    this.#callKey ??= callKey(this.#tool, this.#input);
    return this.#callKey;
  }

  #asker(): Holder {
    return holderOf(this.#parts.callerOf(this.#ctx).principal);
  }
}
