import type { CompiledTool } from "../catalogue/compile-tool.ts";
import type { ArtifactRef, CallError, CallResult, Repair } from "../contract/call.ts";
import type { CallPlace } from "../contract/call-place.ts";
import type { MediaBlock } from "../contract/content.ts";
import type { Decision, Reach } from "../contract/decision.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { Anomaly, Posture } from "../contract/posture.ts";
import type { Principal } from "../contract/principal.ts";
import type { Policy } from "../policy/compile-policy.ts";
import { policyOf } from "../policy/policies-in-force.ts";
import type { CapabilityName, CapabilityProvider } from "../ports/capability.ts";
import type { PathRules } from "../ports/policy-rules.ts";
import type { CallSpan } from "../ports/telemetry.ts";
import type { GateParts } from "./gate-parts.ts";
import type { GateOptions, Preparation } from "./invoke-options.ts";
import { Redactor } from "./redaction/redact.ts";
import { UsageMeter } from "./run/usage-meter.ts";
import type { LiveStep, TreeOfCall } from "./tree/tree-of-call.ts";

/** What is known of a call before anything of it happens. */
export interface NewCall {
  readonly id: string;
  readonly principal: Principal;
  readonly session: string;
  readonly name: string;
  readonly options: GateOptions;
  readonly place?: CallPlace | undefined;
  readonly tree?: TreeOfCall | undefined;
  /** When a call that goes on began, in milliseconds since the epoch. Default: now. */
  readonly begunAt?: number;
}

/** One call on its way through the gate: what is known so far. Stages add to it, none takes away. */
export class Call {
  readonly id: string;
  readonly principal: Principal;
  readonly session: string;
  readonly name: string;
  readonly options: GateOptions;
  /** When its root first began, in milliseconds since the epoch. */
  readonly begunAt: number;
  /** The policy in force when the call came; the whole call keeps to it. */
  readonly policy: Policy;
  readonly redactor = new Redactor();
  readonly artifacts: ArtifactRef[] = [];
  readonly anomalies: Anomaly[] = [];
  /** The tool's own; the gate adds its own when the call has ended. */
  readonly notes: string[] = [];
  /** Blocks that the tool showed beside its output. */
  readonly shown: MediaBlock[] = [];
  repairs: readonly Repair[] = noRepairs;
  /** As it was parsed, with lengths in place of sensitive members; undefined before that. The same value as was parsed where it has none. */
  input: unknown;
  posture: Posture | undefined;
  /** Hosts that its runs fetched from. */
  fetchedFrom: ReadonlySet<string> = noHosts;
  /** How many of its runs had a network that nobody counted. */
  uncountedRuns = 0;
  #usage: UsageMeter | undefined;
  /** True from when the log was told that the tool runs. */
  started = false;
  /** True when the caller was given output while the tool ran. */
  hasStreamed = false;
  /** True when the events that hold the answer are written already, or are those of another call. */
  isRecorded = false;
  /** As it was found; undefined before that. */
  tool: CompiledTool | undefined;
  /** True when the caller wants a person to be asked. */
  asksFirst = false;
  /** True when the call waits, or waited, for a person. */
  isAsked = false;
  /** True when a person's yes was used up for it. */
  isApprovalSpent = false;
  /** By which it runs; undefined before that. */
  decision: Decision | undefined;
  /** Place of a call that another call made. */
  readonly place: CallPlace | undefined;
  /** The calls that it belongs to, once it makes calls or is made by one. */
  tree: TreeOfCall | undefined;
  /** What the tree knows of a call that another call made. */
  step: LiveStep | undefined;
  /** From when it begins; undefined where nobody traces. */
  span: CallSpan | undefined;
  readonly #parts: GateParts;
  readonly #startedAt: number;
  #roots: readonly string[] | undefined;

  constructor(parts: GateParts, request: NewCall) {
    this.#parts = parts;
    this.#startedAt = parts.clock.monotonic();
    this.id = request.id;
    this.principal = request.principal;
    this.session = request.session;
    this.name = request.name;
    this.options = request.options;
    this.begunAt = request.begunAt ?? request.tree?.begunAt ?? parts.clock.now();
    this.place = request.place;
    this.tree = request.tree;
    this.policy = policyOf(parts.policy(request.principal.tenant), request.principal);
  }

  /** The door's own provider for this call, else the engine's. */
  provider(name: CapabilityName): CapabilityProvider | undefined {
    return this.options.capabilities?.find((candidate) => candidate.name === name) ?? this.#parts.capabilities.get(name);
  }

  /** Says of a reach where the workspace is to programs, and whether it is looked at; what the tool says of that counts for nothing. */
  locate(reach: Reach): Reach {
    if (reach.kind !== "command") return reach;
    const exec = this.provider("exec");
    this.#roots ??= exec?.roots?.(this) ?? [];
    return { ...reach, roots: this.#roots, watched: exec?.caution !== undefined };
  }

  get paths(): PathRules {
    return this.policy.paths;
  }

  /** Made when a tool first reports: most use nothing. */
  get usage(): UsageMeter {
    this.#usage ??= new UsageMeter();
    return this.#usage;
  }

  /** Traces the call from here on; one that is only prepared, from when it asks or ends. */
  openSpan(): void {
    const { id, name, principal, session, options } = this;
    if (this.span) return;
    this.span = this.#parts.telemetry?.startCall({ id, name, principal, session, trace: options.trace });
    if (this.span?.context) options.onTrace?.(this.span.context);
  }

  /** What every result says. */
  facts() {
    const usage = this.#usage?.total((text) => this.redactor.redact(text));
    const placed = this.place ? { callId: this.id, tool: this.name, place: this.place } : { callId: this.id, tool: this.name };
    return {
      ...placed,
      durationMs: Math.round(this.#parts.clock.monotonic() - this.#startedAt),
      repairs: this.repairs,
      posture: this.posture,
      anomalies: this.anomalies,
      artifacts: this.artifacts,
      ...(this.notes.length > 0 && { notes: this.notes }),
      ...(usage && { usage }),
    };
  }

  failed(error: CallError): CallResult {
    return { ...this.facts(), status: "failed", error: this.redactor.redactError(error) };
  }

  denied(decision: Decision, message?: string): CallResult {
    return { ...this.facts(), status: "denied", decision, ...(message !== undefined && { message }) };
  }

  /** Ends a call that was only to be prepared, where it would run; the log holds what follows. */
  stopPrepared(preparation: Preparation, decision: Decision): CallResult {
    this.isRecorded = true;
    preparation.decision = decision;
    return this.cancelled("The call was only prepared.");
  }

  cancelled(reason: string): CallResult {
    return { ...this.facts(), status: "cancelled", reason };
  }
}

const noRepairs: readonly Repair[] = [];
const noHosts: ReadonlySet<string> = new Set();

/** A call whose tool is found and whose input is parsed. */
export interface ParsedCall {
  readonly call: Call;
  readonly tool: CompiledTool;
  readonly input: unknown;
  /** True when a person approved this very call. */
  readonly approved: boolean;
}

/** A stage goes on with a value or ends the call. */
export type Step<Value> = { readonly value: Value; readonly end?: undefined } | { readonly end: CallResult };

/** What an unexpected error becomes: a known one keeps its code; any other is the engine's own defect, and its text is the operator's. */
export function toCallError(error: unknown, callId: string): CallError {
  if (ToolwrightError.is(error))
    return { code: error.code, message: error.message, ...(error.details !== undefined && { details: error.details }) };
  return { code: "internal", message: `The call failed by a defect. The operator's log has it under ${callId}.` };
}

const nothing: readonly Reach[] = [];

/** What the call will reach, as the tool itself says. */
export function reachesOf({ call, tool, input }: Pick<ParsedCall, "call" | "tool" | "input">): readonly Reach[] {
  return tool.definition.reaches?.(input as never).map((reach) => call.locate(reach)) ?? nothing;
}
