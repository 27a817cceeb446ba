import type { Reach } from "../../contract/decision.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import { canonicalJson } from "../../contract/json.ts";
import type { CallSite, CapabilityName, CapabilityProvider } from "../../ports/capability.ts";
import type { BaseContext } from "../../tool/context.ts";
import type { Call, ParsedCall } from "../call.ts";
import { reachesOf } from "../decide-call.ts";
import { findProvider } from "../find-provider.ts";
import type { GateParts } from "../gate-parts.ts";
import { PartCalls } from "../tree/part-calls.ts";
import { callArtifacts, saveArtifact } from "./call-artifacts.ts";
import type { OutputFollower } from "./follow-output.ts";
import type { RunSupervisor } from "./supervise-run.ts";

export interface Run {
  readonly supervisor: RunSupervisor;
  readonly follower: OutputFollower;
  /** True once the call has ended: handles are then dead. */
  ended: boolean;
  /** Of a tool that calls others. */
  calls?: PartCalls;
}

/** Notes of the tool itself; what comes after them is dropped, since a tool that says more says nothing. */
const mostNotes = 16;
/** Characters of base64 in one result: within what clients take as one message. */
const mostMedia = 8_000_000;

/** The `ctx` of one run: the base, and exactly the handles of the declared effects. */
export function makeContext(parsed: ParsedCall, run: Run, parts: GateParts): BaseContext {
  const context = new RunContext(parsed.call, run, parts);
  const names = parsed.tool.capabilities;
  if (names.length === 0) return context;
  if (parsed.tool.effects.tools) {
    run.calls = new PartCalls(parsed, run, parts);
    Object.defineProperty(context, "tools", { value: run.calls.handle(parsed.call.principal), enumerable: true });
  }
  const site = makeCallSite(parsed, run, parts);
  for (const name of names) {
    if (name === "tools") continue;
    const provider = requireProvider(name, parsed.call, parts);
    const handle = provider.open(parsed.tool.effects[name] as never, site);
    Object.defineProperty(context, name, { value: guardHandle(handle, name, run), enumerable: true });
  }
  return context;
}

/** Members are made when they are asked for: most tools use none of them. */
class RunContext implements BaseContext {
  readonly callId: string;
  readonly tool: string;
  readonly tenant: string;
  readonly actor: string;
  readonly agent: string | undefined;
  readonly session: string;
  readonly #call: Call;
  readonly #run: Run;
  readonly #parts: GateParts;

  constructor(call: Call, run: Run, parts: GateParts) {
    this.callId = call.id;
    this.tool = call.name;
    this.tenant = call.principal.tenant;
    this.actor = call.principal.actor.id;
    this.agent = call.principal.agent;
    this.session = call.session;
    this.#call = call;
    this.#run = run;
    this.#parts = parts;
  }

  get attachments() {
    return this.#call.options.attachments ?? [];
  }

  get patience() {
    return this.#call.options.patience;
  }

  get signal() {
    return this.#run.supervisor.signal;
  }

  get progress(): BaseContext["progress"] {
    const { options, redactor } = this.#call;
    return (done, total, message) => {
      this.#run.supervisor.alive();
      if (!this.#run.ended) options.onProgress?.({ done, total, message: message === undefined ? undefined : redactor.redact(message) });
    };
  }

  get output(): BaseContext["output"] {
    return {
      append: (chunk) => {
        this.#run.supervisor.alive();
        if (!this.#run.ended) this.#run.follower.append("output", chunk);
      },
    };
  }

  get log(): BaseContext["log"] {
    const { id, name, options, redactor } = this.#call;
    return (level, message) => {
      const text = redactor.redact(message);
      this.#parts.logger.log(level, text, { callId: id, tool: name });
      if (!this.#run.ended) options.onLog?.(level, text);
    };
  }

  get note(): BaseContext["note"] {
    return (sentence) => {
      if (this.#call.notes.length < mostNotes) this.#call.notes.push(this.#call.redactor.redact(sentence));
    };
  }

  get show(): BaseContext["show"] {
    return (block) => {
      const { shown } = this.#call;
      if ([...shown, block].reduce((sum, { data }) => sum + data.length, 0) > mostMedia)
        throw new ToolwrightError(
          "invalid_output",
          `Tool "${this.tool}" shows more than ${mostMedia} characters of images and sounds. Show less.`,
        );
      shown.push(block);
    };
  }

  get usage(): BaseContext["usage"] {
    const { id, name, usage } = this.#call;
    return {
      add: (report) => {
        usage.add(report);
        // The event that ends the call is written: what comes now can only be told.
        if (this.#run.ended)
          this.#parts.logger.log("warn", "A tool reported usage after its call had ended; it is not counted.", { tool: name, callId: id });
      },
    };
  }

  get artifacts(): BaseContext["artifacts"] {
    const { tenant } = this;
    return {
      save: (file) => saveArtifact(this.#call, file, this.#parts),
      read: (id, range) => this.#parts.artifacts.read(tenant, id, range),
    };
  }
}

function requireProvider(name: CapabilityName, call: Call, parts: GateParts): CapabilityProvider {
  const provider = findProvider(name, call, parts);
  if (provider) return provider;
  throw new ToolwrightError(
    "effect_refused",
    `Tool "${call.name}" needs the capability "${name}", which this door or process does not have.`,
  );
}

function makeCallSite(parsed: ParsedCall, run: Run, parts: GateParts): CallSite {
  const { call, tool } = parsed;
  const { policy, redactor } = call;
  const decided = new Set(reachesOf(parsed).map(keyOf));
  // The call's decision covered what the tool named; a tool that names nothing was asked about, and approved, as a whole.
  const isCovered = (reach: Reach) => decided.has(keyOf(reach)) || (parsed.approved && tool.definition.reaches === undefined);
  return {
    callId: call.id,
    tool: call.name,
    principal: call.principal,
    session: call.session,
    get signal() {
      return run.supervisor.signal;
    },
    approved: parsed.approved,
    artifacts: callArtifacts(call, parts),
    paths: policy.paths,
    network: policy.network,
    sandbox: policy.sandbox,
    judge(reach) {
      const decision = policy.judge(tool.facts, reach, parts.machine(policy.sandbox));
      return decision.effect === "ask" && isCovered(reach) ? { ...decision, effect: "allow" } : decision;
    },
    output(stream, text) {
      run.supervisor.alive();
      if (!run.ended) run.follower.append(stream, text);
    },
    alive: () => run.supervisor.alive(),
    reportPosture(posture) {
      call.posture = posture;
    },
    reportAnomaly(anomaly) {
      call.anomalies.push({ ...anomaly, message: redactor.redact(anomaly.message) });
    },
    taint: (value) => redactor.add(value),
    redactStream: () => redactor.stream(),
    redactBytes: (bytes, options) => redactor.redactBytes(bytes, options),
  };
}

/** Passes every member on until the call has ended; after that each use is refused, so a run left behind can do nothing more. */
function guardHandle(handle: object, name: string, run: Run): object {
  return new Proxy(handle, {
    get(target, key) {
      if (run.ended) throw new ToolwrightError("effect_refused", `The call has ended; its "${name}" capability cannot be used any more.`);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
    set: () => false,
  });
}

/** Equal for reaches that mean the same: a workdir that is null and one that is left out are both the workspace. */
function keyOf(reach: Reach): string {
  return canonicalJson(reach.kind === "command" ? { ...reach, workdir: reach.workdir ?? undefined } : reach);
}
