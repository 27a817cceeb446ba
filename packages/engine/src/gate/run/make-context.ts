import type { Reach } from "../../contract/decision.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import { canonicalJson } from "../../contract/json.ts";
import type { Principal } from "../../contract/principal.ts";
import type { CallSite, CapabilityName, CapabilityProvider } from "../../ports/capability.ts";
import { sharerOf } from "../../ports/fair-pool.ts";
import type { BaseContext } from "../../tool/context.ts";
import { type Call, type ParsedCall, reachesOf } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { readOwnArtifact } from "../session-access.ts";
import { PartCalls } from "../tree/part-calls.ts";
import { callArtifacts, saveArtifact } from "./project-output.ts";
import type { OutputFollower, RunSupervisor } from "./supervise-run.ts";

export interface Run {
  readonly supervisor: RunSupervisor;
  readonly follower: OutputFollower;
  /** True once the call has ended: handles are then dead. */
  ended: boolean;
  /** Makes calls of a tool that calls others. */
  calls?: PartCalls;
}

/** Notes of the tool itself; what comes after them is dropped, since a tool that says more says nothing. */
const mostNotes = 16;
/** Characters of base64 in one result: within what clients take as one message. */
const mostMedia = 8_000_000;

/** The `ctx` of one run: the base, and exactly the handles of the declared effects. */
export function makeContext(parsed: ParsedCall, run: Run, parts: GateParts): BaseContext {
  const context = new RunContext(parsed, run, parts);
  const names = parsed.tool.capabilities;
  if (names.length === 0) return context;
  if (parsed.tool.effects.tools) {
    run.calls = new PartCalls(parsed, run, parts);
    Object.defineProperty(context, "tools", { value: run.calls.handle(parsed.call.principal), enumerable: true });
  }
  let site: CallSite | undefined;
  for (const name of names) {
    if (name === "tools") continue;
    site ??= new RunSite(parsed, run, parts);
    const provider = requireProvider(name, parsed.call);
    const handle = provider.open(parsed.tool.effects[name] as never, site);
    Object.defineProperty(context, name, { value: guardHandle(handle, name, run), enumerable: true });
  }
  return context;
}

/** Members are made when they are asked for: most tools use none of them. */
class RunContext implements BaseContext {
  readonly callId: string;
  readonly begunAt: number;
  readonly tool: string;
  readonly tenant: string;
  readonly actor: string;
  readonly agent: string | undefined;
  readonly session: string;
  readonly #parsed: ParsedCall;
  readonly #run: Run;
  readonly #parts: GateParts;

  constructor(parsed: ParsedCall, run: Run, parts: GateParts) {
    const { call } = parsed;
    this.callId = call.id;
    this.begunAt = call.begunAt;
    this.tool = call.name;
    this.tenant = call.principal.tenant;
    this.actor = call.principal.actor.id;
    this.agent = call.principal.agent;
    this.session = call.session;
    this.#parsed = parsed;
    this.#run = run;
    this.#parts = parts;
  }

  get #call(): Call {
    return this.#parsed.call;
  }

  get workspace() {
    for (const name of this.#parsed.tool.capabilities) {
      const workspace = this.#call.provider(name)?.workspace?.(this.#call);
      if (workspace !== undefined) return workspace;
    }
    return undefined;
  }

  get sharer() {
    return sharerOf(this.#call.principal);
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
    return {
      save: (file) => saveArtifact(this.#call, file, this.#parts),
      read: (id, range) => readOwnArtifact(this.#call.principal, id, { range, parts: this.#parts }),
    };
  }
}

function requireProvider(name: CapabilityName, call: Call): CapabilityProvider {
  const provider = call.provider(name);
  if (provider) return provider;
  throw new ToolwrightError(
    "effect_refused",
    `Tool "${call.name}" needs the capability "${name}", which this door or process does not have.`,
  );
}

/** A class: an object literal with a getter costs a hidden class of its own, which outlives its call. */
class RunSite implements CallSite {
  readonly callId: string;
  readonly key: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  readonly session: string;
  readonly approved: boolean;
  readonly artifacts: CallSite["artifacts"];
  readonly paths: CallSite["paths"];
  readonly network: CallSite["network"];
  readonly sandbox: CallSite["sandbox"];
  readonly #parsed: ParsedCall;
  readonly #run: Run;
  readonly #parts: GateParts;
  /** Before the tool has its input: what it does to it afterwards covers nothing more. */
  readonly #decided: ReadonlySet<string>;

  constructor(parsed: ParsedCall, run: Run, parts: GateParts) {
    const { call } = parsed;
    this.callId = call.id;
    this.key = call.options.idempotencyKey;
    this.tool = call.name;
    this.principal = call.principal;
    this.session = call.session;
    this.approved = parsed.approved;
    this.artifacts = callArtifacts(call, parts);
    this.paths = call.policy.paths;
    this.network = call.policy.network;
    this.sandbox = call.policy.sandbox;
    this.#parsed = parsed;
    this.#run = run;
    this.#parts = parts;
    this.#decided = new Set(reachesOf(parsed).map(keyOf));
  }

  get signal(): AbortSignal {
    return this.#run.supervisor.signal;
  }

  readonly judge: CallSite["judge"] = (reach) => {
    const { call, tool } = this.#parsed;
    const decision = call.policy.judge(tool.facts, call.locate(reach), this.#parts.machine(call.policy.sandbox));
    return decision.effect === "ask" && this.#isCovered(reach) ? { ...decision, effect: "allow" } : decision;
  };

  readonly output: CallSite["output"] = (stream, text) => {
    this.#run.supervisor.alive();
    if (!this.#run.ended) this.#run.follower.append(stream, text);
  };

  readonly alive: CallSite["alive"] = () => this.#run.supervisor.alive();

  readonly reportPosture: CallSite["reportPosture"] = (posture) => {
    const { call } = this.#parsed;
    call.posture = posture;
    if (posture.network !== "none") call.uncountedRuns++;
  };

  readonly reportReached: CallSite["reportReached"] = (hosts) => {
    const { call } = this.#parsed;
    if (call.posture === undefined || call.posture.network === "none") return;
    call.uncountedRuns--;
    if (hosts.length > 0) call.fetchedFrom = new Set([...call.fetchedFrom, ...hosts]);
  };

  readonly reportAnomaly: CallSite["reportAnomaly"] = (anomaly) => {
    const { anomalies, redactor } = this.#parsed.call;
    anomalies.push({ ...anomaly, message: redactor.redact(anomaly.message) });
  };

  readonly taint: CallSite["taint"] = (value) => this.#parsed.call.redactor.add(value);

  readonly redactStream: CallSite["redactStream"] = () => this.#parsed.call.redactor.stream();

  readonly redactBytes: CallSite["redactBytes"] = (bytes, options) => this.#parsed.call.redactor.redactBytes(bytes, options);

  /** The call's decision covered what the tool named; a tool that names nothing was asked about, and approved, as a whole. */
  #isCovered(reach: Reach): boolean {
    const { approved, tool } = this.#parsed;
    return this.#decided.has(keyOf(reach)) || (approved && tool.definition.reaches === undefined);
  }
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
  return canonicalJson(
    reach.kind === "command" ? { kind: reach.kind, command: reach.command, workdir: reach.workdir ?? undefined } : reach,
  );
}
