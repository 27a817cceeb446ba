import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  type ApprovalOutcome,
  type CallResult,
  type InvokeOptions,
  type PendingResult,
  type Scope,
  ToolwrightError,
} from "@toolwright/engine";
import type { CallerTrace } from "@toolwright/engine/ports";
import { type Owner, ownerOf } from "../../http/owners.ts";
import { type CallState, callKey, type DoorParts } from "../door-parts.ts";
import { announceTask } from "../tasks/serve-tasks.ts";
import type { TaskRef } from "../tasks/tasks.ts";
import { approvalQuestion, type NoAnswer, noAnswer, readApprovalAnswer, requestApproval } from "./ask-approval.ts";
import { CallConversation, type Exchange, missingCapabilities, openExchange, type Round } from "./call-conversation.ts";
import { idempotencyMetaKey } from "./call-meta.ts";
import type { CallServer } from "./call-server.ts";
import { traceOf } from "./call-trace.ts";
import { nameClient } from "./name-client.ts";
import { writeAnswer } from "./write-result.ts";

type Answer = CallToolResult | InputRequiredResult;
type Unsealed = { kind: "approval"; approval: string } | { kind: "question"; conversation: string };
type Run = (options: InvokeOptions) => Promise<CallResult>;
type Wait = (pending: PendingResult) => Promise<Answer>;

/** One `tools/call` request: a new call, or a later round of one. */
export async function callTool(
  request: CallToolRequest,
  ctx: ServerContext,
  door: { server: CallServer; parts: DoorParts },
): Promise<Answer> {
  return new ToolRequest(request, ctx, door).answer();
}

class ToolRequest {
  readonly #ctx: ServerContext;
  readonly #parts: DoorParts;
  readonly #server: CallServer;
  #exchange: Exchange;
  readonly #scope: Scope;
  readonly #tool: string;
  readonly #input: unknown;
  readonly #idempotencyKey: unknown;
  readonly #trace: CallerTrace;
  #callKey: string | undefined;

  constructor(request: CallToolRequest, ctx: ServerContext, { server, parts }: { server: CallServer; parts: DoorParts }) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#server = server;
    this.#tool = request.params.name;
    this.#input = request.params.arguments ?? {};
    this.#idempotencyKey = request.params._meta?.[idempotencyMetaKey];
    this.#trace = traceOf(request.params._meta, ctx, server);
    this.#exchange = this.#open();
    this.#scope = parts.scopeOf(ctx);
  }

  async answer(): Promise<Answer> {
    try {
      return await this.#answer();
    } finally {
      this.#exchange.close();
    }
  }

  async #answer(): Promise<Answer> {
    const state = this.#ctx.mcpReq.requestState<CallState>();
    if (!state) return this.#begin();
    this.#parts.seal.check(state, this.#key());
    if (state.kind === "approval") return this.#afterApproval(state.approval);
    const conversation = this.#parts.conversations.take(this.#asker().owner, state.conversation);
    if (!conversation) return this.#refuse(waitsNoMore());
    return this.#follow(conversation, conversation.resume(this.#exchange));
  }

  /** Ends the exchange before, if there is one, and goes on where it stopped. */
  #open(doing?: string, before?: Exchange): Exchange {
    before?.close();
    const { clock, progressMs } = this.#parts;
    const declared = this.#parts.capabilitiesOf(this.#ctx, this.#server);
    const exchange = openExchange(this.#ctx, { declared, logger: this.#tool, clock, progressMs, doing, after: before?.lastProgress() });
    if (this.#parts.serving.elicit !== false) return exchange;
    return { ...exchange, can: (feature) => feature !== "elicit" && exchange.can(feature) };
  }

  async #begin(): Promise<Answer> {
    const needed = this.#scope.find(this.#tool)?.effects.client ?? [];
    if (this.#parts.serving.elicit === false && needed.includes("elicit")) return this.#refuse(asksNothing(this.#tool));
    const missing = missingCapabilities(needed, this.#exchange.capabilities);
    if (missing) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: missing });
    const once = this.#idempotencyKey === undefined ? {} : { idempotencyKey: this.#readKey() };
    return this.#run((options) => this.#scope.invokeNamed(this.#tool, this.#input, { ...options, ...once, takeUpWaiting: true }));
  }

  #readKey(): string {
    const key = this.#idempotencyKey;
    if (typeof key === "string") return key;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `_meta["${idempotencyMetaKey}"] must be a string.`);
  }

  async #run(run: Run, wait: Wait = (pending) => this.#wait(pending)): Promise<Answer> {
    const conversation = new CallConversation(this.#exchange);
    const patience = { ms: this.#parts.patienceMs, renewable: this.#exchange.hearsProgress || this.#leavesCalls };
    const round = conversation.start(() => run({ ...conversation.options, trace: this.#trace, patience }));
    return this.#follow(conversation, round, wait);
  }

  /** True for a client that leaves a call which takes long, and asks later how it ended. */
  get #leavesCalls(): boolean {
    return this.#exchange.can("tasks") && !this.#exchange.staysOpen;
  }

  /** To the end of the round; or, when that takes long, as a task. */
  async #follow(conversation: CallConversation, going: Promise<Round>, wait?: Wait): Promise<Answer> {
    const { tasks } = this.#parts;
    const late = this.#leavesCalls ? await tasks.whenLate(conversation, going) : undefined;
    const task = late === undefined ? undefined : await tasks.leave(this.#taskOwner(), conversation, late);
    return task ? this.#announce(task) : this.#finish(conversation, await going, wait);
  }

  #taskOwner(): Omit<TaskRef, "id"> {
    return { owner: this.#asker(), scope: this.#scope };
  }

  /** The protocol layer has no word for this kind of result. */
  async #announce(task: TaskRef): Promise<Answer> {
    return (await announceTask(task, { ctx: this.#ctx, server: this.#server, parts: this.#parts })) as Answer;
  }

  async #finish(conversation: CallConversation, round: Round, wait: Wait = (pending) => this.#wait(pending)): Promise<Answer> {
    if ("questions" in round) return this.#askOn(conversation, round.questions);
    const { result } = round;
    if (result.status === "pending") return wait(result);
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
    if (this.#leavesCalls) return this.#announce(await this.#parts.tasks.wait(this.#taskOwner(), pending));
    if (!this.#exchange.can("elicit") || !(await this.#parts.mayAnswer(this.#ctx))) return this.#write(pending);
    const { id } = pending.approval;
    const { staysOpen } = this.#exchange;
    if (!staysOpen && this.#parts.forms.takeSent(id, this.#client()))
      return this.#unanswered(pending, noAnswer("did not send the form back"));
    const question = await requestApproval(pending, { scope: this.#scope, person: this.#asPerson() });
    if (staysOpen) return this.#askInSession(pending, question);
    this.#parts.forms.sent(id, this.#client());
    return this.#ask({ [approvalQuestion]: question }, { kind: "approval", approval: id });
  }

  /** A client of 2025 is asked within its open request. What is wrong with its answer, or with the client, is no answer and not this call's failure. */
  async #askInSession(pending: PendingResult, { params }: InputRequest): Promise<Answer> {
    const { id } = pending.approval;
    const { signal: gone, send } = this.#ctx.mcpReq;
    const broken = new AbortController();
    const signal = AbortSignal.any([gone, broken.signal]);
    const options = { timeout: this.#parts.answerTtlMs, resetTimeoutOnProgress: true, onprogress() {}, signal };
    const form = {
      refused: () => void this.#note(id, noAnswer("sent the form back from a place that may not answer")),
      unreadable: () => broken.abort(),
    };
    const ask = () => send({ method: "elicitation/create", params: params as Record<string, unknown> }, options);
    this.#exchange = this.#open("Waiting for a person", this.#exchange);
    const outcome = await this.#parts.forms.during(this.#ctx.sessionId, form, ask).then(
      (answer) => readApprovalAnswer({ [approvalQuestion]: answer }),
      (error: unknown) => noAnswer(broken.signal.aborted ? "sent no answer that can be read" : howItFailed(error)),
    );
    // Nobody would read how the call went on.
    if (gone.aborted) return this.#unanswered(pending, noAnswer("went away"));
    this.#exchange = this.#open(undefined, this.#exchange);
    return this.#take(id, outcome);
  }

  async #afterApproval(approval: string): Promise<Answer> {
    this.#parts.forms.takeSent(approval, this.#client());
    const mayAnswer = await this.#parts.mayAnswer(this.#ctx);
    return this.#take(approval, mayAnswer ? readApprovalAnswer(this.#exchange.inputResponses) : noAnswer("may not answer for a person"));
  }

  /** Goes on as the person said. Nobody is asked twice for one call: what still waits then waits at other doors. */
  async #take(approval: string, outcome: ApprovalOutcome | NoAnswer): Promise<Answer> {
    if (outcome.kind === "none") return this.#resume(approval, outcome);
    try {
      await this.#asPerson().answer(approval, outcome);
    } catch (error) {
      // Somebody else may have answered at another door. Then that answer stands, and a replay finds the approval used.
      if (!ToolwrightError.is(error) || error.code !== "approval_already_answered" || outcome.kind !== "approve")
        return this.#refuse(error);
    }
    return this.#resume(approval);
  }

  async #resume(approval: string, unanswered?: NoAnswer): Promise<Answer> {
    return this.#run(
      (options) => this.#scope.resume(approval, options),
      async (pending) => {
        // A call that makes calls may wait for another approval next.
        if (pending.approval.id !== approval) return this.#wait(pending);
        return unanswered ? this.#unanswered(pending, unanswered) : this.#write(pending);
      },
    );
  }

  /** Leaves the call as it waits, with all that says how a person answers. */
  async #unanswered(pending: PendingResult, { how }: NoAnswer): Promise<CallToolResult> {
    await this.#note(pending.approval.id, { kind: "none", how });
    const written = this.#write(pending);
    const said = `Note: No person answered: client ${this.#client()} ${how}.`;
    return { ...written, content: [...written.content, { type: "text", text: said }] };
  }

  #note(approval: string, { how }: NoAnswer): Promise<void> {
    return this.#scope.noteUnanswered(approval, `not answered by client ${this.#client()}: it ${how}`);
  }

  #client(): string {
    return nameClient(this.#ctx, this.#server);
  }

  /** The caller with a person there, which `mayAnswer` has said. */
  #asPerson(): Scope {
    return this.#parts.scopeOf(this.#ctx, { interactive: true });
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
    return writeAnswer(result, { scope: this.#scope, server: this.#server, serving: this.#parts.serving });
  }

  /** Names this tool with this input. */
  #key(): string {
    this.#callKey ??= callKey(this.#tool, this.#input);
    return this.#callKey;
  }

  #asker(): Owner {
    return ownerOf(this.#parts.callerOf(this.#ctx).principal);
  }
}

/** As the end of "not answered by client X: it ...". What a client says of its error is left to the client. */
function howItFailed(error: unknown): string {
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return "did not answer in time";
  return error instanceof ProtocolError ? `answered with error ${error.code}` : "sent no answer that can be read";
}

/** The state is good, and the question was answered before, came from another process, or waited in one that has ended. */
function waitsNoMore(): ToolwrightError {
  return new ToolwrightError(
    "call_lost",
    "The call that asked this does not wait here any more: it went on, or the server that ran it has stopped. Look what it did, and call the tool again if that is not enough.",
  );
}

function asksNothing(tool: string): ToolwrightError {
  return new ToolwrightError(
    "effect_refused",
    `"${tool}" asks a question in the client, and this server asks nothing there. Use a server that does.`,
  );
}
