import {
  type InputRequests,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type PendingResult, type Scope, ToolwrightError } from "@toolwright/engine";
import type { FollowedCall } from "@toolwright/engine/ports";
import { z } from "zod";
import { describeWaiting } from "../../describe-ending.ts";
import { ownerOf } from "../../http/owners.ts";
import { approvalQuestion, type NoAnswer, noAnswer, readApprovalAnswer, requestApproval } from "../call/ask-approval.ts";
import { CallConversation, declaredCapabilities, openExchange, supports } from "../call/call-conversation.ts";
import { tasksExtension } from "../call/call-meta.ts";
import type { CallServer } from "../call/call-server.ts";
import { traceOf } from "../call/call-trace.ts";
import { nameClient } from "../call/name-client.ts";
import { answerInTerminal, commandLineOf, writeAnswer } from "../call/write-result.ts";
import type { DoorParts } from "../door-parts.ts";
import { standingOf, type TaskStanding, writeCreated, writeTask } from "./task-wire.ts";
import type { TaskRef } from "./tasks.ts";

/** What the requests of one client on tasks need. */
interface TaskServing {
  readonly ctx: ServerContext;
  readonly server: CallServer;
  readonly parts: DoorParts;
}

const params = z.object({ taskId: z.string() });
const acknowledged: Result = {};

/** `tasks/get`, `tasks/update` and `tasks/cancel`, for clients of 2026-07-28 that declare the extension with each request. */
export function serveTasks(server: Server, parts: DoorParts): void {
  const serve = (method: string, answer: (taskId: string, serving: TaskServing) => Promise<Result>) =>
    server.setRequestHandler(method, { params }, async ({ taskId }, ctx) => {
      if (!supports(declaredCapabilities(ctx), "tasks"))
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
      return answer(taskId, { ctx, server, parts });
    });
  serve("tasks/get", getTask);
  serve("tasks/update", updateTask);
  serve("tasks/cancel", cancelTask);
}

/** What `tools/call` answers for a task that was made now. */
export async function announceTask(task: TaskRef, serving: TaskServing): Promise<Result> {
  const call = await requireCall(task, serving);
  return writeCreated(task.id, call, await lookAt(task, call, serving));
}

async function getTask(taskId: string, serving: TaskServing): Promise<Result> {
  const task = taskOf(taskId, serving);
  const call = await requireCall(task, serving);
  return writeTask(taskId, call, await lookAt(task, call, serving));
}

/** Answers what the task asks. What is no answer to an open question is left alone. */
async function updateTask(taskId: string, serving: TaskServing): Promise<Result> {
  const task = taskOf(taskId, serving);
  const call = await requireCall(task, serving);
  const responses = serving.ctx.mcpReq.inputResponses ?? {};
  serving.parts.tasks.running(task)?.answer(responses);
  if (isOpen(call, serving) && Object.hasOwn(responses, approvalQuestion)) await answerApproval(task, call, serving);
  return acknowledged;
}

async function cancelTask(taskId: string, serving: TaskServing): Promise<Result> {
  const task = taskOf(taskId, serving);
  await requireCall(task, serving);
  await serving.parts.tasks.cancel(task);
  return acknowledged;
}

function taskOf(id: string, { ctx, parts }: TaskServing): TaskRef {
  return { owner: ownerOf(parts.callerOf(ctx).principal), scope: parts.scopeOf(ctx), id };
}

/** Finds the call of a task. An unknown task and one of another caller are refused in the same words. */
async function requireCall(task: TaskRef, { parts }: TaskServing): Promise<FollowedCall> {
  const call = await parts.tasks.find(task);
  if (call) return call;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no task ${JSON.stringify(task.id.slice(0, 128))} here, or its time is over.`,
  );
}

async function lookAt(task: TaskRef, call: FollowedCall, serving: TaskServing): Promise<TaskStanding> {
  const { result } = call;
  if (result && result.status !== "pending")
    return standingOf(result, (ended) => writeAnswer(ended, { scope: task.scope, server: serving.server, serving: serving.parts.serving }));
  const running = serving.parts.tasks.running(task);
  if (!running && result) return lookAtWaiting(task, { call, result }, serving);
  const questions = running?.questions ?? {};
  if (Object.keys(questions).length > 0) return { status: "input_required", inputRequests: questions };
  const { done, total, message = total === undefined ? String(done) : `${done} of ${total}` } = running?.progress ?? { done: 0, total: 0 };
  return { status: "working", ...(running?.progress && { statusMessage: message }) };
}

/** How a task stands that asks its person: the form, or where else a person answers. A task that was answered at another door goes on. */
async function lookAtWaiting(
  task: TaskRef,
  { call, result }: { readonly call: FollowedCall; readonly result: PendingResult },
  serving: TaskServing,
): Promise<TaskStanding> {
  if (call.approval?.claimedAt !== undefined) return { status: "working" };
  if (!isOpen(call, serving)) {
    goOn(task, call, serving);
    return { status: "working" };
  }
  const { ctx, parts } = serving;
  if (await mayAsk(result.approval.id, serving)) {
    const form = await requestApproval(result, { scope: task.scope, person: parts.scopeOf(ctx, { interactive: true }) });
    return { status: "input_required", inputRequests: { [approvalQuestion]: form } satisfies InputRequests };
  }
  const howToAnswer = answerInTerminal(result, commandLineOf(parts.serving, task.scope.principal.tenant));
  return { status: "working", statusMessage: describeWaiting(result, howToAnswer) };
}

function isOpen({ approval }: FollowedCall, { parts }: TaskServing): boolean {
  return approval !== undefined && approval.answer === undefined && approval.record.expiresAt > parts.clock.now();
}

/** Nobody is asked twice for one call. */
async function mayAsk(approval: string, serving: TaskServing): Promise<boolean> {
  const { ctx, server, parts } = serving;
  if (parts.serving.elicit === false || !supports(declaredCapabilities(ctx), "elicit")) return false;
  return !parts.forms.wasAnswered(approval, nameClient(ctx, server)) && (await parts.mayAnswer(ctx));
}

async function answerApproval(task: TaskRef, call: FollowedCall, serving: TaskServing): Promise<void> {
  const { ctx, server, parts } = serving;
  const id = call.approval?.record.id ?? "";
  const client = nameClient(ctx, server);
  const mayAnswer = await parts.mayAnswer(ctx);
  const outcome = mayAnswer ? readApprovalAnswer(ctx.mcpReq.inputResponses) : noAnswer("may not answer for a person");
  parts.forms.answered(id, client);
  if (outcome.kind === "none") return noteUnanswered(task.scope, { id, client, outcome });
  try {
    await parts.scopeOf(ctx, { interactive: true }).answer(id, outcome);
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    // Somebody else may have answered at another door.
    if (error.code !== "approval_already_answered")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Error ${error.code}: ${error.message}`);
  }
  const after = await parts.tasks.find(task);
  if (after && !isOpen(after, serving)) goOn(task, after, serving);
}

function noteUnanswered(scope: Scope, { id, client, outcome }: { id: string; client: string; outcome: NoAnswer }): Promise<void> {
  return scope.noteUnanswered(id, `not answered by client ${client}: it ${outcome.how}`);
}

/** In a conversation that no request waits for: this one is answered at once. */
function goOn(task: TaskRef, call: FollowedCall, serving: TaskServing): void {
  const { ctx, server, parts } = serving;
  const { clock, progressMs, patienceMs } = parts;
  const logger = call.approval?.record.tool ?? "";
  const conversation = new CallConversation(openExchange(ctx, { declared: undefined, logger, clock, progressMs }));
  const trace = traceOf(ctx.mcpReq._meta, ctx, server);
  parts.tasks.resume(task, { call, conversation, options: { trace, patience: { ms: patienceMs, renewable: true } } });
}
