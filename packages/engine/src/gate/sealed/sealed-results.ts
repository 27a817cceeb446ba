import type { CallResult, DoneResult } from "../../contract/call.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import type { CallTree, StepRecord, StoredCall } from "../../ports/call-tree.ts";
import type { EventLog } from "../../ports/event-log.ts";
import type { IdempotencyState, IdempotencyStore } from "../../ports/idempotency-store.ts";
import type { Sealer } from "./sealer.ts";

/** Key of the output without sensitive members. A copy of the result keeps it, and JSON leaves it out. */
const loggedOutput = Symbol("toolwright.loggedOutput");

type WithLogged = DoneResult & { readonly [loggedOutput]?: Json };

/** The result with what stands in the log in place of its output. */
export function withLoggedOutput(result: DoneResult, output: Json): DoneResult {
  return { ...result, [loggedOutput]: output } as DoneResult;
}

/** The output as the log holds it. */
export const loggedOutputOf = (result: DoneResult): Json => (result as WithLogged)[loggedOutput] ?? result.output;

/** A result as logs, lists and traces hold it: of sensitive members their length alone. The same result where its tool has none. */
export function loggedResult(result: CallResult): CallResult {
  if (result.status !== "done") return result;
  const { [loggedOutput]: output, sealed, ...rest } = result as WithLogged;
  if (output === undefined) return sealed === undefined ? result : rest;
  return { ...rest, output, content: [{ type: "text", text: JSON.stringify(output) }] };
}

const isSensitive = (result: CallResult): result is WithLogged =>
  result.status === "done" && (result as WithLogged)[loggedOutput] !== undefined;

async function sealResult(tenant: string, result: CallResult, sealer: Sealer): Promise<CallResult> {
  if (!isSensitive(result)) return result;
  const { output, content } = result;
  const sealed = await sealer.seal({ tenant, what: `the result of ${result.callId}` }, { output, content });
  return { ...(loggedResult(result) as DoneResult), sealed };
}

/** What cannot be opened has run, and nobody knows any more what it gave. */
async function openResult(tenant: string, result: CallResult, sealer: Sealer): Promise<CallResult> {
  if (result.status !== "done" || result.sealed === undefined) return result;
  const { sealed, ...logged } = result;
  try {
    const opened = await sealer.open({ tenant, what: `the result of ${result.callId}` }, sealed);
    return withLoggedOutput({ ...logged, ...(opened as unknown as Pick<DoneResult, "output" | "content">) }, logged.output);
  } catch (error) {
    if (!ToolwrightError.is(error) || error.code !== "secret_unreadable") throw error;
    const { callId, tool, place, durationMs, repairs, anomalies, artifacts } = result;
    const facts = { callId, tool, ...(place && { place }), durationMs, repairs, anomalies, artifacts };
    return { ...facts, status: "unknown", error: { code: error.code, message: error.message } };
  }
}

interface CallStores {
  readonly events: EventLog;
  readonly idempotency: IdempotencyStore;
  readonly callTree: CallTree;
}

/** The stores that keep results, which seal the sensitive members of an output and open them again for the call that reads it. */
export function sealStores({ events, idempotency, callTree }: CallStores, sealer: Sealer): CallStores {
  const keys = sealKeptResults(idempotency, sealer);
  return {
    idempotency: keys,
    events: events.keys === idempotency ? sealEndings(events, keys, sealer) : events,
    callTree: sealSteps(callTree, sealer),
  };
}

function sealKeptResults(store: IdempotencyStore, sealer: Sealer): IdempotencyStore {
  return {
    async claim(claim) {
      const state = await store.claim(claim);
      return state.kind === "answered" ? openState(claim.tenant, state, sealer) : state;
    },
    async find(tenant, key) {
      const kept = await store.find(tenant, key);
      return kept?.result ? { ...kept, result: await openResult(tenant, kept.result, sealer) } : kept;
    },
    async settle(owner, result, at) {
      const sealed = await sealResult(owner.tenant, result, sealer);
      const settled = await store.settle(owner, sealed, at);
      return settled === sealed ? result : openResult(owner.tenant, settled, sealer);
    },
    release: (owner) => store.release(owner),
  };
}

async function openState(
  tenant: string,
  state: Extract<IdempotencyState, { kind: "answered" }>,
  sealer: Sealer,
): Promise<IdempotencyState> {
  const result = await openResult(tenant, state.result, sealer);
  return result === state.result ? state : { ...state, result };
}

function sealEndings(log: EventLog, keys: IdempotencyStore, sealer: Sealer): EventLog {
  return {
    ...(log.tenants && { tenants: log.tenants }),
    keys,
    read: (query) => log.read(query),
    append(events, options) {
      const settlement = options?.key?.settlement;
      if (!settlement || !isSensitive(settlement.result)) return log.append(events, options);
      const { owner, result } = settlement;
      return sealResult(owner.tenant, result, sealer).then((sealed) =>
        log.append(events, { ...options, key: { settlement: { ...settlement, result: sealed } } }),
      );
    },
  };
}

function sealSteps(tree: CallTree, sealer: Sealer): CallTree {
  const sealStep = async (tenant: string, step: StepRecord): Promise<StepRecord> =>
    step.result ? { ...step, result: await sealResult(tenant, step.result, sealer) } : step;
  const open = async (stored: StoredCall): Promise<StoredCall> => {
    const { tenant } = stored.call.principal;
    const openOne = <Kept extends { readonly result?: CallResult }>(kept: Kept): Kept | Promise<Kept> =>
      kept.result ? openResult(tenant, kept.result, sealer).then((result) => ({ ...kept, result })) : kept;
    const [whole, steps] = await Promise.all([openOne(stored), Promise.all(stored.steps.map(openOne))]);
    return { ...whole, steps };
  };
  const openAll = (found: readonly StoredCall[]) => Promise.all(found.map(open));
  const openFound = async (found: StoredCall | undefined) => found && open(found);
  return {
    suspend: async (call, steps, lease) =>
      tree.suspend(call, await Promise.all(steps.map((step) => sealStep(call.principal.tenant, step))), lease),
    keep: async (held, step) => tree.keep(held, await sealStep(held.tenant, step)),
    hold: (held, change) => tree.hold(held, change),
    take: async (ref, lease, options) => openFound(await tree.take(ref, lease, options)),
    takeDue: async (lease, options) => openAll(await tree.takeDue(lease, options)),
    get: async (ref, now) => openFound(await tree.get(ref, now)),
    list: async (tenant, filter) => openAll(await tree.list(tenant, filter)),
    waitingFor: async (tenant, wait, now) => openAll(await tree.waitingFor(tenant, wait, now)),
    answer: (tenant, wait) => tree.answer(tenant, wait),
    finish: async (held, result, keepUntil) => tree.finish(held, await sealResult(held.tenant, result, sealer), keepUntil),
  };
}
