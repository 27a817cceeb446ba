import type { CallResult } from "../../contract/call.ts";
import { digest } from "../../contract/digest.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { Principal } from "../../contract/principal.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import type { HeldCall, HeldChange, StepRecord, StoredCall, SuspendedCall, Wait } from "../../ports/call-tree.ts";
import type { Call, ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { sensitiveInput } from "../prepare-call.ts";
import { ofSuspended, sealInput } from "../sealed/sealed-inputs.ts";
import type { LiveStep, Part, TreeOfCall } from "./tree-of-call.ts";

/** Milliseconds that a run holds a call without another sign of life. */
export const leaseMs = 30_000;
const renewMs = 10_000;
/** Milliseconds that the ending of a root is kept for whoever asks later. */
const keptMs = 24 * 60 * 60 * 1000;

interface TreeOrigin {
  /** The parsed call of a root that runs for the first time. */
  readonly parsed?: ParsedCall;
  /** The stored call of a root that goes on. */
  readonly taken?: StoredCall & { readonly held: HeldCall };
}

/** A root with its calls inside, in this process. Nothing is stored before one of them waits. */
export class TreeRun implements TreeOfCall {
  readonly rootId: string;
  readonly #root: Call;
  readonly #parts: GateParts;
  readonly #known = new Map<string, StepRecord>();
  readonly #live: LiveStep[] = [];
  readonly #over: readonly Wait[];
  readonly #startedAt: number;
  readonly ranBeforeMs: number;
  readonly #parsed: ParsedCall | undefined;
  #waits: readonly Wait[];
  #expiresAt = 0;
  #held: HeldCall | undefined;
  #heldUntil = 0;
  #voided: string | undefined;
  #isLost = false;
  #isSuspending = false;
  #stopRenewing: (() => void) | undefined;
  /** One write after the other: the first makes the record that the others add to. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(root: Call, parts: GateParts, { parsed, taken }: TreeOrigin) {
    this.#root = root;
    this.rootId = root.id;
    this.#parsed = parsed;
    this.#parts = parts;
    this.#startedAt = parts.clock.monotonic();
    this.ranBeforeMs = taken?.call.ranMs ?? 0;
    this.#over = taken?.call.waitsFor ?? [];
    this.#waits = this.#over;
    this.#expiresAt = taken?.call.expiresAt ?? 0;
    this.#held = taken?.held;
    this.#heldUntil = this.#until();
    for (const step of taken?.steps ?? []) this.#known.set(keyOf(step.parent, step.step), step);
    if (taken) this.#renew();
  }

  get begunAt(): number {
    return this.#root.begunAt;
  }

  get isKept(): boolean {
    return this.#held !== undefined || this.#isSuspending;
  }

  get voided(): string | undefined {
    return this.#voided;
  }

  get size(): number {
    return this.#known.size + this.#live.length;
  }

  void(reason: string): void {
    this.#voided ??= reason;
  }

  find(parent: string, step: string): StepRecord | undefined {
    return this.#known.size === 0 ? undefined : this.#known.get(keyOf(parent, step));
  }

  isSame({ tool, input }: StepRecord, name: string, given: unknown): boolean | Promise<boolean> {
    if (tool !== name) return false;
    const found = this.#digestInput(name, given);
    return found instanceof Promise ? found.then((digested) => digested === input) : found === input;
  }

  /** At once where no member is sensitive. */
  #digestInput(name: string, given: unknown): string | Promise<string> {
    const { principal } = this.#root;
    const input = toJson(given);
    const tool = this.#parts.snapshot(principal.tenant).find(name);
    const sensitive = tool && sensitiveInput(tool, principal);
    const isKeyed = sensitive !== undefined && sensitive.hide(input) !== input;
    return isKeyed ? this.#parts.sealer.digest(principal.tenant, input) : digest(input);
  }

  add({ id, name, place }: Part, input: unknown): LiveStep {
    const known = this.find(place?.parent ?? "", place?.step ?? "");
    if (known) this.#known.delete(keyOf(known.parent, known.step));
    // Not the call itself: nothing else of it has to outlive its ending.
    const step: LiveStep = { id, name, place, input, hasBegun: false, approval: known?.approval, result: undefined };
    this.#live.push(step);
    return step;
  }

  isOver(waits: readonly Wait[]): boolean {
    return waits.every((wait) => this.#over.some((over) => isSameWait(wait, over)));
  }

  mustHold(): void {
    if (this.#isLost || (this.#held && this.#parts.clock.now() > this.#heldUntil)) throw lostCall(this.rootId);
  }

  begin(step: LiveStep): Promise<void> | undefined {
    step.hasBegun = true;
    return this.isKept ? this.#keep(step) : undefined;
  }

  end(step: LiveStep, result: CallResult): Promise<void> | undefined {
    step.result = result;
    return this.isKept ? this.#keep(step) : undefined;
  }

  async ask(step: LiveStep | undefined, approval: Pick<ApprovalRecord, "id" | "expiresAt">): Promise<void> {
    if (step) step.approval = approval.id;
    await this.suspend([{ kind: "approval", id: approval.id }], approval.expiresAt);
    if (step) await this.#keep(step);
  }

  suspend(waits: readonly Wait[], expiresAt: number): Promise<void> {
    const further = waits.filter((wait) => !this.#waits.some((known) => isSameWait(wait, known)));
    this.#waits = [...this.#waits, ...further];
    this.#expiresAt = Math.max(this.#expiresAt, expiresAt);
    this.#isSuspending = true;
    return this.#inTurn(async () => {
      this.#isSuspending = true;
      try {
        if (this.#held) await this.#hold({ waitsFor: this.#waits, expiresAt: this.#expiresAt }, this.#until());
        else await this.#store();
      } finally {
        this.#isSuspending = false;
      }
    });
  }

  async #store(): Promise<void> {
    const holder = this.#parts.ids.next("run");
    const [call, ...steps] = await Promise.all([
      this.#describe(),
      ...this.#live.filter(isWorthKeeping).map((step) => this.#toRecord(step)),
    ]);
    const until = this.#until();
    await this.#parts.callTree.suspend(call, steps, { holder, until });
    this.#heldUntil = until;
    this.#held = { tenant: this.#root.principal.tenant, callId: this.rootId, holder };
    this.#renew();
  }

  async settle(result: CallResult): Promise<CallResult> {
    await this.#writing.catch(() => undefined);
    if (!this.#held || result.status === "pending") return this.#isLost ? endedElsewhere(result) : result;
    this.#stopRenewing?.();
    const keepUntil = this.#parts.clock.now() + keptMs;
    if (this.#isLost || !(await this.#parts.callTree.finish(this.#held, result, keepUntil))) return endedElsewhere(result);
    await denyOpen(this.#root.principal, this.#waits, this.#parts);
    return result;
  }

  async release(): Promise<void> {
    this.#stopRenewing?.();
    const ranMs = Math.round(this.ranBeforeMs + this.#parts.clock.monotonic() - this.#startedAt);
    if (this.#held && !this.#isLost) await this.#parts.callTree.hold(this.#held, { until: 0, ranMs });
  }

  async #describe(): Promise<SuspendedCall> {
    const { principal, session, name, decision, options, span, begunAt } = this.#root;
    const { idempotencyKey: key } = options;
    const parsed = this.#parsed;
    if (!parsed || !decision) throw new ToolwrightError("internal", `The call ${this.rootId} waits before it runs.`);
    const { tool, approved } = parsed;
    return {
      ...{ callId: this.rootId, principal, session, tool: name, definition: tool.hash, decision, approved },
      ...(await sealInput(parsed, ofSuspended(principal.tenant, this.rootId), this.#parts)),
      ...{
        waitsFor: this.#waits,
        ranMs: Math.round(this.ranBeforeMs),
        createdAt: this.#parts.clock.now(),
        begunAt,
        expiresAt: this.#expiresAt,
      },
      ...(key !== undefined && { key }),
      ...(span?.context && { trace: span.context }),
    };
  }

  async #toRecord({ id: callId, name, place, input, hasBegun, approval, result }: LiveStep): Promise<StepRecord> {
    const tool = this.#parts.snapshot(this.#root.principal.tenant).find(name);
    return {
      ...{
        callId,
        parent: place?.parent ?? "",
        step: place?.step ?? "",
        tool: name,
        definition: tool?.hash ?? "",
        input: await this.#digestInput(name, input),
      },
      hasBegun,
      ...(approval !== undefined && { approval }),
      ...(result && { result }),
    };
  }

  #keep(step: LiveStep): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#held && !(await this.#parts.callTree.keep(this.#held, await this.#toRecord(step)))) this.#lose();
    });
  }

  async #hold(change: Omit<HeldChange, "until">, until: number): Promise<void> {
    if (this.#held && !(await this.#parts.callTree.hold(this.#held, { ...change, until }))) this.#lose();
    this.#heldUntil = until;
  }

  #inTurn<Result>(write: () => Promise<Result>): Promise<Result> {
    const next = this.#writing.then(write, write);
    this.#writing = next;
    return next;
  }

  #lose(): never {
    this.#isLost = true;
    throw lostCall(this.rootId);
  }

  #until(): number {
    return this.#parts.clock.now() + leaseMs;
  }

  /** While it runs, and no longer: a call that waits has no timer. */
  #renew(): void {
    this.#stopRenewing = this.#parts.clock.after(renewMs, () => {
      this.#hold({}, this.#until()).catch((error: unknown) => {
        this.#parts.logger.log("warn", "The lease of a running call could not be renewed.", { callId: this.rootId, error: String(error) });
      });
      if (!this.#isLost) this.#renew();
    });
  }
}

const keyOf = (parent: string, step: string) => `${parent}\n${step}`;

const isSameWait = (one: Wait, other: Wait) => one.kind === other.kind && one.id === other.id;

/** One that neither ran nor asked begins anew. */
const isWorthKeeping = ({ hasBegun, approval, result }: LiveStep) => hasBegun || approval !== undefined || result !== undefined;

/** As the handler gave it; what is no JSON is refused when it is parsed. */
function toJson(input: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(input) ?? "null");
  } catch {
    return String(input);
  }
}

function lostCall(id: string): ToolwrightError {
  return new ToolwrightError("call_lost", `Another process goes on with call ${id}, because this one was silent for too long.`);
}

function endedElsewhere({ callId, tool, durationMs }: CallResult): CallResult {
  const { code, message } = lostCall(callId);
  return { callId, tool, durationMs, repairs: [], anomalies: [], artifacts: [], status: "unknown", error: { code, message } };
}

/** Denies what nobody has answered yet: the call that needed it has ended. */
async function denyOpen({ tenant, actor }: Principal, waits: readonly Wait[], { approvals, clock }: GateParts): Promise<void> {
  const at = clock.now();
  const outcome = { kind: "deny", message: "The call that needed it has ended." } as const;
  for (const { kind, id } of waits) if (kind === "approval") await approvals.answer(tenant, id, { outcome, by: actor, at });
}
