import type { Snapshot } from "../catalogue/catalogue.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { findBrokenText, findNonJson, type Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import type { GateParts } from "../gate/gate-parts.ts";
import { refuseSession } from "../gate/session-access.ts";
import { type Clock, every } from "../ports/clock.ts";
import type { Port } from "../ports/define-port.ts";
import { tenantNotFound } from "../ports/tenant-store.ts";
import { parseInput, refuseOversized } from "../schema/parse-input.ts";
import type { Scope } from "../scope-types.ts";
import type { Operation, OperationContext } from "./define-operation.ts";
import type { Subjects } from "./join-subjects.ts";
import type { Administration } from "./operation-types.ts";
import { loggedInputOf, type OperationSite, recordOperation } from "./record-operation.ts";
import { refuseCaller } from "./refuse-caller.ts";

interface OperationRequest {
  readonly subjects: Subjects;
  readonly name: string;
  readonly input: unknown;
  readonly scope: Scope;
  readonly scopeAs: OperationContext["scopeAs"];
  readonly code: () => Snapshot;
  readonly parts: GateParts;
  readonly administration: Administration;
  readonly signal: AbortSignal | undefined;
}

/** Takes an operation through find, admit, parse and run. What changes something is in the log before it happens, and how it ended before the answer leaves. */
export async function runOperation(request: OperationRequest): Promise<unknown> {
  const operation = await request.subjects.load(request.name);
  const run = () => runFound(operation, request);
  const describe = () => ({ name: operation.name, tenant: request.scope.principal.tenant });
  return request.parts.telemetry?.within?.(describe, run) ?? run();
}

async function runFound(operation: Operation, request: OperationRequest): Promise<unknown> {
  const { scope, parts, signal } = request;
  const { principal, session } = scope;
  if (!(await parts.tenants.has(principal.tenant))) throw tenantNotFound(principal.tenant);
  const refusal = refuseCaller(operation, principal);
  if (operation.effect === "read") {
    if (refusal) throw refusal;
    return guardRun(operation, parseFor(operation, request.input), contextFor(operation, request));
  }
  // The log of a session that somebody else owns is theirs.
  const stranger = await refuseSession(principal, session, parts);
  if (stranger) throw stranger;
  const site: OperationSite = { principal, session, parts };
  if (refusal) {
    await record(operation, ["denied", { error: { code: refusal.code, message: refusal.message } }], site);
    throw refusal;
  }
  const input = parseFor(operation, request.input);
  const context = contextFor(operation, { ...request, signal });
  const logged = operation.logged ? await operation.logged(input as never, context) : input;
  await record(operation, ["started", { effect: operation.effect, input: loggedInputOf(operation, logged) }], site);
  return runRecorded(operation, input, { context, site });
}

/** Goes on where a reading operation ends, until the signal aborts. Rejects as the operation does, and for one that cannot be followed. */
export async function followOperation(request: OperationRequest & { readonly signal: AbortSignal }): Promise<AsyncIterable<object>> {
  const { scope, parts, signal } = request;
  const operation = await request.subjects.load(request.name);
  if (!(await parts.tenants.has(scope.principal.tenant))) throw tenantNotFound(scope.principal.tenant);
  const refusal = refuseCaller(operation, scope.principal);
  if (refusal) throw refusal;
  const input = parseFor(operation, request.input);
  const ending = new AbortController();
  const context = { ...contextFor(operation, request), signal: AbortSignal.any([signal, ending.signal]) };
  if (operation.follow) {
    const items = await operation.follow(input as never, context);
    const { allow } = operation;
    return allow ? whileAllowed(items, () => allow(input as never, context), { clock: parts.clock, ending }) : items;
  }
  throw new ToolwrightError("operation_unavailable", `The operation ${operation.name} answers once and cannot be followed. Ask it again.`);
}

/** Milliseconds between two looks at what is followed: shares are taken back while a stream is open. */
const lookMs = 15_000;

/** The items, until the look rejects: then they end with what it rejected with. */
async function* whileAllowed(
  items: AsyncIterable<object>,
  look: () => Promise<unknown>,
  { clock, ending }: { readonly clock: Clock; readonly ending: AbortController },
): AsyncGenerator<object> {
  let refusal: unknown;
  const stop = every(lookMs, clock, () =>
    look().catch((error: unknown) => {
      refusal ??= error;
      ending.abort();
    }),
  );
  try {
    yield* items;
  } finally {
    stop();
  }
  if (refusal !== undefined) throw refusal;
}

/** Rejects with `invalid_input` for what does not fit the operation, before anything is opened to do it. */
export async function checkOperationInput(subjects: Subjects, name: string, input: unknown): Promise<void> {
  parseFor(await subjects.load(name), input);
}

/** The operations that the principal may use here, in the order of their subjects: those that would not be refused for who asks or for a missing port. */
export function listOperations(
  principal: Principal,
  { subjects, administration }: Pick<OperationRequest, "administration" | "subjects">,
): Promise<readonly Operation[]> {
  const given = administration as Readonly<Record<string, unknown>>;
  const usable = subjects.operations.filter(
    (each) => !refuseCaller(each, principal) && each.needs.every((port) => given[port] !== undefined),
  );
  return Promise.all(usable.map(({ name }) => subjects.load(name)));
}

function parseFor(operation: Operation, input: unknown): unknown {
  const oversized = refuseOversized(input);
  if (oversized !== undefined) throw new ToolwrightError("input_too_large", `${operation.name}: ${oversized}`);
  const foreign = findNonJson(input);
  if (foreign) {
    const issue = { path: foreign.path, message: foreign.problem };
    throw new ToolwrightError("invalid_input", `The input of ${operation.name} is not JSON: ${foreign.problem}.`, { details: [issue] });
  }
  // An id that no store can hold is nobody's, and a name like it could not be saved as it was given.
  const broken = findBrokenText((input ?? null) as Json);
  if (broken !== undefined) {
    const issue = { path: broken, message: "Text must not contain NUL characters or lone surrogates." };
    throw new ToolwrightError("invalid_input", `The input of ${operation.name} does not fit. ${broken}: ${issue.message}`, {
      details: [issue],
    });
  }
  const parsed = parseInput(operation.input, input);
  if (parsed.ok) return parsed.value;
  const details = parsed.issues.map(({ path, message }) => ({ path, message }));
  throw new ToolwrightError("invalid_input", parsed.message, { details });
}

function contextFor(
  operation: Operation,
  { scope, scopeAs, code, parts, administration, signal }: OperationRequest,
): OperationContext<Port> {
  const given = administration as Readonly<Record<string, unknown>>;
  const missing = operation.needs.find(({ name }) => given[name] === undefined);
  if (missing !== undefined) {
    const message = `The operation ${operation.name} is not available here. Give createEngine ${missing.remedy}: administration: { ${missing.name} }.`;
    throw new ToolwrightError("operation_unavailable", message);
  }
  return { principal: scope.principal, scope, scopeAs, code, parts, ports: given as OperationContext<Port>["ports"], signal };
}

/** A defect of ours or of a port becomes an error that says nothing of its inside. */
async function guardRun(operation: Operation, input: unknown, context: OperationContext<Port>): Promise<unknown> {
  try {
    return await operation.run(input as never, context);
  } catch (error) {
    if (ToolwrightError.is(error)) throw error;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    context.parts.logger.log("error", "An operation threw.", { operation: operation.name, error: text });
    throw new ToolwrightError("internal", `The operation ${operation.name} failed by a defect. The log of the server says more.`, {
      cause: error,
    });
  }
}

interface Running {
  readonly context: OperationContext<Port>;
  readonly site: OperationSite;
}

async function runRecorded(operation: Operation, input: unknown, { context, site }: Running): Promise<unknown> {
  const startedAt = context.parts.clock.monotonic();
  const durationMs = () => Math.round(context.parts.clock.monotonic() - startedAt);
  let output: unknown;
  try {
    output = await guardRun(operation, input, context);
  } catch (error) {
    const { code, message } = error as ToolwrightError;
    await record(operation, ["failed", { durationMs: durationMs(), error: { code, message } }], site);
    throw error;
  }
  await record(operation, ["completed", { durationMs: durationMs() }], site);
  return output;
}

const done = {
  started: "so nothing happened. Try again when the store answers.",
  denied: "so nothing happened. Try again when the store answers.",
  completed: "but the change was made. Look at it before you repeat it.",
  failed: "and the operation failed. Look at what is there before you repeat it.",
};

async function record(operation: Operation, event: Parameters<typeof recordOperation>[1], site: OperationSite): Promise<void> {
  try {
    await recordOperation(operation, event, site);
  } catch (cause) {
    const message = `The log could not be written for ${operation.name}, ${done[event[0]]}`;
    throw new ToolwrightError("record_failed", message, { cause });
  }
}
