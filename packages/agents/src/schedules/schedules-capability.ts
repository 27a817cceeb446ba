import { type CallSite, type Capability, type CapabilityProvider, type Engine, type Principal, ToolwrightError } from "@toolwright/engine";
import { type ForeignMarks, isSameActor, type ScheduleRecord, type ScheduleRequest, sessionsOf } from "@toolwright/engine/ports";
import { type AgentSource, findProfile } from "../agent/agent-profile.ts";

/** Schedules of whoever calls: an agent has those that it made for the same person, and those that send it messages. */
export interface ReadSchedules {
  /** By name. */
  list(): Promise<readonly ScheduleRecord[]>;
}

export interface WriteSchedules extends ReadSchedules {
  /** A call of a tool that the caller has. */
  addCall(request: ScheduleRequest): Promise<ScheduleRecord>;
  /** A message to an agent. Rejects with `catalogue_not_found`. */
  addMessage(message: ScheduledMessage): Promise<ScheduleRecord>;
  /** By id or name. Rejects with `job_not_found`. */
  remove(id: string): Promise<void>;
}

export interface ScheduledMessage extends Pick<ScheduleRequest, "name" | "when"> {
  readonly message: string;
  /** An agent that calls may name itself alone, and is the one that is meant where it names none. */
  readonly agent?: string | undefined;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** Has tools called at times to come, with the rights that the caller has then. */
    schedules: Capability<"read", ReadSchedules> | Capability<"write", WriteSchedules>;
  }
}

export interface SchedulesParts extends AgentSource {
  readonly engine: Pick<Engine, "operate" | "scope">;
  /** Without it, what the session of a caller has read does not count for the calls that it makes for later. */
  readonly foreign?: ForeignMarks | undefined;
}

/** Gives `ctx.schedules`. `parts` is asked at the first call: it holds the engine that the capability is given to. */
export function schedulesCapability(parts: () => SchedulesParts): CapabilityProvider<"schedules"> {
  return {
    name: "schedules",
    weigh: (effect) => ({ changes: effect === "write", openWorld: false }),
    open: (_effect, { principal, session }) => new SchedulesOf({ principal, session }, parts),
  };
}

/** The tool that takes messages to agents. */
const messageTool = "agent_run";

class SchedulesOf implements WriteSchedules {
  readonly #principal: Principal;
  readonly #session: string;
  readonly #maker: Principal;
  readonly #parts: () => SchedulesParts;

  constructor({ principal, session }: Pick<CallSite, "principal" | "session">, parts: () => SchedulesParts) {
    this.#principal = principal;
    this.#session = session;
    this.#maker = makerOf(principal);
    this.#parts = parts;
  }

  async list(): Promise<readonly ScheduleRecord[]> {
    const { items } = await this.#parts().engine.operate(this.#maker, "schedules.list", {});
    return items.filter((each) => this.#isOwn(each));
  }

  async addCall(request: ScheduleRequest): Promise<ScheduleRecord> {
    const { tool } = request;
    const { engine } = this.#parts();
    // Who made the agent's turn may have tools that the agent has not.
    if (!engine.scope(this.#principal).find(tool))
      throw new ToolwrightError("tool_not_found", `There is no tool named ${JSON.stringify(tool)}. Schedule a tool that you have.`);
    return engine.operate(await this.#withMarks(this.#named()), "schedules.create", request);
  }

  async addMessage({ message, agent = this.#principal.agent, ...rest }: ScheduledMessage): Promise<ScheduleRecord> {
    const { tenant, agent: own } = this.#principal;
    if (agent === undefined) throw new ToolwrightError("invalid_input", "The message names no agent. Say which one is to answer it.");
    if (own !== undefined && agent !== own)
      throw new ToolwrightError("effect_refused", `The agent ${own} sends messages to itself alone, not to ${agent}. Leave agent out.`);
    const parts = this.#parts();
    await findProfile(tenant, agent, parts);
    return parts.engine.operate(await this.#withMarks(this.#maker), "schedules.create", {
      ...rest,
      tool: messageTool,
      input: { agent, message },
    });
  }

  async remove(id: string): Promise<void> {
    const found = (await this.list()).find((each) => each.id === id || each.name === id);
    if (!found)
      throw new ToolwrightError("job_not_found", `There is no schedule ${JSON.stringify(id)}. List the schedules to see what there is.`);
    await this.#parts().engine.operate(this.#maker, "schedules.remove", { id: found.id });
  }

  /** The maker in the name of the agent: what it makes is decided as a call of the agent. */
  #named(): Principal {
    const { agent } = this.#principal;
    return agent === undefined ? this.#maker : { ...this.#maker, agent };
  }

  /** What the session has read so far counts for the calls to come. */
  async #withMarks(maker: Principal): Promise<Principal> {
    const { tenant } = this.#principal;
    const sessions = sessionsOf(this.#principal, this.#session);
    const marks = (await this.#parts().foreign?.of(tenant, sessions)) ?? [];
    return marks.length > 0 ? { ...maker, foreignFrom: sessions } : maker;
  }

  #isOwn({ principal, tool, input }: ScheduleRecord): boolean {
    const { actor, onBehalfOf } = this.#maker;
    if (!isSameActor(principal.actor, actor) || principal.onBehalfOf !== onBehalfOf) return false;
    const { agent } = this.#principal;
    return agent === undefined || principal.agent === agent || (tool === messageTool && addresseeOf(input) === agent);
  }
}

const addresseeOf = (input: ScheduleRecord["input"]): unknown =>
  typeof input === "object" && input !== null && "agent" in input ? input.agent : undefined;

/**
 * In its own turn an agent begins no other, so what it makes for later is made by whom it acts for, who has the same rights and more. A sub-agent
 * has bounds, which hold for what it makes, too.
 */
function makerOf(principal: Principal): Principal {
  const { delegated, runtime } = principal;
  if (!delegated || runtime === "sub_agent" || delegated.ceiling || delegated.assignment) return principal;
  // What a runtime admits is for the time of its run.
  const { harness: _, ...maker } = delegated.from;
  return maker;
}
