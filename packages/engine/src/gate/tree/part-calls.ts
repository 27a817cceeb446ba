import type { CompiledTool } from "../../catalogue/compile-tool.ts";
import { namesTool } from "../../catalogue/join-parts.ts";
import { rankByWords } from "../../catalogue/search/search-tools.ts";
import type { CallResult, PendingResult } from "../../contract/call.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { ChildOptions, Principal } from "../../contract/principal.ts";
import { makeChild } from "../../policy/ceiling/ceiling-child.ts";
import type { StepRecord, Wait } from "../../ports/call-tree.ts";
import type { PartOptions, ToolShape, Tools } from "../../ports/tools.ts";
import { describePending } from "../approvals/request-approval.ts";
import type { Call, ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import type { InvokeOptions } from "../invoke-options.ts";
import { isCallerAdmitted, schemaContextOf } from "../prepare-call.ts";
import type { TreeOfCall } from "./tree-of-call.ts";
import { TreeRun } from "./tree-run.ts";

/** What the calls inside need of the run that makes them. */
interface ParentRun {
  readonly supervisor: { readonly signal: AbortSignal; alive(): void };
  readonly ended: boolean;
}

const longestStep = 100;

const noOptions: PartOptions = {};

interface AskedPart {
  readonly name: string;
  readonly options: PartOptions;
  readonly input: unknown;
  /** Before the names of steps that a sub-agent takes. */
  readonly under: string;
}

/** A step, and what an earlier run left of it. */
interface FoundStep {
  readonly step: string;
  readonly before: StepRecord | undefined;
  /** The earlier run made the same call there. */
  readonly isSame: boolean;
}

/** The calls that one run of a handler makes. */
export class PartCalls {
  readonly #call: Call;
  readonly #handles: readonly string[];
  readonly #run: ParentRun;
  readonly #parts: GateParts;
  readonly #tree: TreeOfCall;
  readonly #chain: readonly string[];
  readonly #steps = new Set<string>();
  readonly #unnamed = new Map<string, number>();
  #options: InvokeOptions | undefined;
  #running = 0;
  #onIdle: (() => void) | undefined;
  #pending: PendingResult | undefined;

  constructor(parsed: ParsedCall, run: ParentRun, parts: GateParts) {
    const { call, tool } = parsed;
    this.#call = call;
    this.#handles = tool.effects.tools ?? [];
    this.#run = run;
    this.#parts = parts;
    this.#tree = call.tree ?? new TreeRun(call, parts, { parsed });
    call.tree = this.#tree;
    this.#chain = [...(call.place?.chain ?? []), call.name];
  }

  /** The first of them that waits. */
  get pending(): PendingResult | undefined {
    return this.#pending;
  }

  /** `ctx.tools` for the calls of this principal. */
  handle(principal: Principal, under = ""): Tools {
    const caller = withoutAnswering(principal);
    return {
      call: (name, input, options = noOptions) => this.#make(caller, { name, input, under, options }),
      names: () => this.#callable(caller).map(({ name }) => name),
      find: (words, limit) =>
        this.#find(caller, words)
          .slice(0, limit)
          .map((tool) => shapeOf(tool, caller)),
      scope: (options: ChildOptions) => this.handle(makeChild(caller, options), `${under}${options.agent}/`),
      suspend: (waits) => this.#suspend(waits),
    };
  }

  /** The handler, and then every call of it that still runs: none outlives the call that made it. */
  async awaitAll(handler: () => unknown): Promise<unknown> {
    try {
      return await handler();
    } finally {
      while (this.#running > 0)
        await new Promise<void>((resolve) => {
          this.#onIdle = resolve;
        });
    }
  }

  #callable(principal: Principal): readonly CompiledTool[] {
    const tools = this.#parts.snapshot(principal.tenant).tools;
    const callable = tools.filter((tool) => namesTool(this.#handles, tool) && !this.#chain.includes(tool.name));
    return callable.filter((tool) => isCallerAdmitted(tool, principal, this.#parts));
  }

  /** By words alone: a handler that runs again finds the same. */
  #find(principal: Principal, words: string): readonly CompiledTool[] {
    const callable = this.#callable(principal);
    return words.trim() === "" ? callable : rankByWords(words, callable);
  }

  #make(principal: Principal, asked: AskedPart): Promise<CallResult> {
    try {
      const result = this.#pass(principal, asked);
      if (!(result instanceof Promise)) return Promise.resolve(this.#take(result, asked));
      this.#running += 1;
      return this.#follow(result, asked);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** At once where nothing waits, as everywhere in the gate: promises are most of what a small call costs. */
  #pass(principal: Principal, asked: AskedPart): CallResult | Promise<CallResult> {
    this.#refuseNow();
    const step = this.#nameStep(asked);
    const before = this.#tree.find(this.#call.id, step);
    const isSame = before !== undefined && this.#tree.isSame(before, asked.name, asked.input);
    const pass = (same: boolean) => this.#passStep(principal, asked, { step, before, isSame: same });
    return isSame instanceof Promise ? isSame.then(pass) : pass(isSame);
  }

  #passStep(principal: Principal, { name, input }: AskedPart, { step, before, isSame }: FoundStep): CallResult | Promise<CallResult> {
    const tree = this.#tree;
    if (isSame && before?.result) return { ...before.result, replayed: true };
    this.#options ??= partOptions(this.#call.options, this.#run);
    return this.#parts.passPart({
      id: isSame && before ? before.callId : this.#parts.ids.next("call"),
      principal,
      session: this.#call.session,
      name,
      input,
      options: this.#options,
      place: { root: tree.rootId, parent: this.#call.id, step, depth: this.#chain.length, chain: this.#chain },
      tree,
      handles: this.#handles,
      known: isSame ? before : undefined,
      other: isSame ? undefined : before,
    });
  }

  async #follow(passing: Promise<CallResult>, asked: AskedPart): Promise<CallResult> {
    try {
      return this.#take(await passing, asked);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  #take(result: CallResult, { options }: AskedPart): CallResult {
    this.#run.supervisor.alive();
    if (result.status !== "pending") {
      if (this.#tree.voided !== undefined) this.#refuseNow();
      return result;
    }
    this.#pending ??= result;
    options.onPending?.(result.approval);
    throw suspended(this.#call, result);
  }

  async #suspend(waits: readonly Wait[]): Promise<void> {
    this.#refuseNow();
    if (this.#tree.isOver(waits)) return;
    const { principal } = this.#call;
    const asked = waits.find(({ kind }) => kind === "approval");
    const stored = asked && (await this.#parts.approvals.get(principal.tenant, asked.id));
    if (!stored)
      throw new ToolwrightError(
        "invalid_input",
        `Tool "${this.#call.name}" suspends its call without an approval that exists. Name at least one, so that people see what it waits for.`,
      );
    await this.#tree.suspend(waits, stored.record.expiresAt);
    this.#pending ??= describePending(this.#call, stored.record);
    throw suspended(this.#call, this.#pending);
  }

  #refuseNow(): void {
    if (this.#run.ended) throw new ToolwrightError("effect_refused", 'The call has ended; its "tools" capability cannot be used any more.');
    const { voided } = this.#tree;
    if (voided !== undefined) throw new ToolwrightError("call_void", voided);
    if (this.#pending) throw suspended(this.#call, this.#pending);
  }

  #nameStep({ name, options: { step }, under }: AskedPart): string {
    if (step !== undefined && (typeof step !== "string" || step.length === 0 || step.length > longestStep))
      throw new ToolwrightError(
        "invalid_input",
        `The step of a call of "${name}" in "${this.#call.name}" is not a text of 1 to ${longestStep} characters.`,
      );
    const wanted = `${under}${step ?? this.#numbered(name, under)}`;
    if (this.#steps.has(wanted))
      throw new ToolwrightError(
        "step_diverged",
        `Tool "${this.#call.name}" uses the step ${JSON.stringify(wanted)} for two calls of one run. Give each call a step of its own.`,
      );
    this.#steps.add(wanted);
    return wanted;
  }

  #numbered(name: string, under: string): string {
    const key = under + name;
    const count = (this.#unnamed.get(key) ?? 0) + 1;
    this.#unnamed.set(key, count);
    return count === 1 ? name : `${name}-${count}`;
  }
}

function suspended({ name }: Call, { approval }: PendingResult): ToolwrightError {
  const message = `Tool "${name}" waits for approval ${approval.id} and makes no more calls now. Let this error pass: the tool runs again once a person has answered.`;
  return new ToolwrightError("call_suspended", message);
}

function shapeOf(tool: CompiledTool, principal: Principal): ToolShape {
  const { name, title, definition, output } = tool;
  return { name, title, description: definition.description, input: tool.input(schemaContextOf(principal)).json, output: output.json };
}

/** What a part reports keeps its parent alive; what it is given comes from the parent's caller. */
function partOptions({ attachments, capabilities, onLog }: InvokeOptions, { supervisor }: ParentRun): InvokeOptions {
  return {
    signal: supervisor.signal,
    onProgress: () => supervisor.alive(),
    onOutput: () => supervisor.alive(),
    ...(attachments && { attachments }),
    ...(capabilities && { capabilities }),
    ...(onLog && { onLog }),
  };
}

function withoutAnswering(principal: Principal): Principal {
  if (!principal.permissions.includes(ANSWER_APPROVALS)) return principal;
  return { ...principal, permissions: principal.permissions.filter((permission) => permission !== ANSWER_APPROVALS) };
}
