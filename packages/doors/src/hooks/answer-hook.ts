import { isAbsolute, relative, sep } from "node:path";
import type { CapabilityProvider, Engine, Principal } from "@toolwright/engine";
import { compareEffects, sha256, visibleText } from "@toolwright/engine/ports";
import type { HookAgent, HookAnswer, HookEvent, Members, PathWords, ToolMapping } from "./hook-agent.ts";
import { isMembers, textOf } from "./hook-agent.ts";

/** One event of an agent, as it came. */
export interface HookQuestion {
  readonly agent: HookAgent;
  /** What the agent wrote to stdin. */
  readonly text: string;
  /** The folder of the project, where the agent's variable names one. */
  readonly project?: string | undefined;
}

export interface HookParts {
  readonly engine: Pick<Engine, "scope">;
  readonly principal: Principal;
  /** What tools have whose workspace is that folder. */
  capabilitiesOf(project: string): readonly CapabilityProvider[];
}

/** Decides what the agent asks, and gives what it reads on stdout. Never rejects: what goes wrong is a denial that says why. */
export async function answerHook(question: HookQuestion, parts: HookParts): Promise<string> {
  const { agent } = question;
  try {
    return await answer(readQuestion(question), agent, parts);
  } catch (error) {
    return refuseHook(agent, error instanceof Error ? error.message : String(error), eventIn(question));
  }
}

/** The denial of whatever the agent asked, in its words. */
export function refuseHook(agent: HookAgent, reason: string, event = firstEvent(agent)): string {
  return agent.write(event, { effect: "deny", reason: `Toolwright could not decide, so the call is denied: ${visibleText(reason)}` });
}

const firstEvent = ({ events }: HookAgent) => [...events].find(([, { when }]) => when === "before")?.[0] ?? "";

/** Undefined for one that the agent does not have. */
function eventIn({ agent, text }: HookQuestion): string | undefined {
  try {
    const name = textOf((JSON.parse(text) as Members).hook_event_name);
    return name !== undefined && agent.events.has(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

interface Asked {
  readonly name: string;
  readonly event: HookEvent;
  readonly message: Members;
  readonly session: string;
  readonly project: string;
  readonly paths: PathWords;
}

function readQuestion({ agent, text, project: named }: HookQuestion): Asked {
  const message: unknown = JSON.parse(text);
  if (!isMembers(message)) throw new Error("What came on stdin is no JSON object.");
  const name = textOf(message.hook_event_name) ?? "";
  const event = agent.events.get(name);
  if (!event) throw new Error(`${agent.title} has no event ${JSON.stringify(name)} that toolwright answers. Install the hooks again.`);
  const session = textOf(message[agent.session]);
  if (session === undefined) throw new Error(`The event ${name} names no ${agent.session}.`);
  const roots = Array.isArray(message.workspace_roots) ? textOf(message.workspace_roots[0]) : undefined;
  const cwd = textOf(message.cwd) ?? roots;
  const project = named ?? roots ?? cwd;
  if (project === undefined || !isAbsolute(project)) throw new Error(`The event ${name} names no folder.`);
  return { name, event, message, session: `${agent.name}-${session}`, project, paths: pathWords(project, cwd ?? project) };
}

function pathWords(project: string, cwd: string): PathWords {
  const inside = (path: string) => {
    const way = relative(project, path);
    return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? path : way || ".";
  };
  const workdir = inside(cwd);
  return {
    at: (path) =>
      typeof path === "string" && isAbsolute(path)
        ? inside(path)
        : typeof path === "string" && workdir !== "."
          ? `${workdir}/${path}`
          : path,
    workdir: workdir === "." ? undefined : workdir,
  };
}

async function answer(asked: Asked, agent: HookAgent, { engine, principal, capabilitiesOf }: HookParts): Promise<string> {
  const { event, message, name, session, project, paths } = asked;
  const call = event.read(message);
  if (call.tool === "") throw new Error(`The event ${name} names no tool.`);
  const mapping = mappingOf(call.tool, agent);
  if (mapping === "pass" || agent.passPrefixes.some((prefix) => call.tool.startsWith(prefix))) return "";
  const scope = engine.scope(principalOf(principal, agent), { session });
  const as = `${agent.name}:${call.tool}`;
  const callId = callIdOf(agent, session, message, call);
  const isOurs = typeof mapping === "function";
  const calls = isOurs ? mapping(isMembers(call.input) ? call.input : {}, paths) : [{ tool: as, input: call.input ?? null }];
  if (event.when === "after") {
    const error = event.error?.(message);
    const [{ tool, input } = { tool: as, input: null }] = calls;
    const brings = agent.brings(call.tool);
    const ending = { callId, as, input, output: event.output?.(message), ...(error !== undefined && { error }), ...(brings && { brings }) };
    await scope.noteEnding(tool, ending);
    return agent.write(name, { effect: "allow" });
  }
  const options = { as, capabilities: capabilitiesOf(project), ...(!isOurs && { facts: factsOf(as, agent, mapping) }) };
  let said: HookAnswer = { effect: "allow" };
  for (const [index, { tool, input }] of calls.entries()) {
    const id = index === 0 ? callId : `${callId}.${index + 1}`;
    const judged = await scope.judge(tool, input, { ...options, callId: id });
    if (judged.effect === "allow" || compareEffects(judged.effect, said.effect) <= 0) continue;
    said = { effect: judged.effect, reason: wordsOf(judged, isOurs ? undefined : as) };
  }
  return agent.write(name, event.asks || said.effect !== "ask" ? said : unasked(said, agent));
}

/** Where an agent cannot ask, nothing that asks goes on. */
function unasked({ reason }: { readonly reason: string }, { title }: HookAgent): HookAnswer {
  return {
    effect: "deny",
    reason: `${reason} ${title} cannot ask a person from this hook, so the call is denied: run it yourself, or allow it in the policy.`,
  };
}

function wordsOf(judged: Awaited<ReturnType<ReturnType<Engine["scope"]>["judge"]>>, unknown: string | undefined): string {
  if (!judged.decision) return visibleText(judged.message);
  const { reason, rule, remedy } = judged.decision;
  const named =
    unknown === undefined
      ? ""
      : ` Toolwright has no tool like ${unknown}; the policy can name it in tools.allow, tools.ask and tools.deny.`;
  return visibleText(`${reason} (${rule})${remedy ? ` ${remedy}` : ""}${named}`);
}

/** Somebody of this machine, through that agent. */
function principalOf(principal: Principal, { name }: HookAgent): Principal {
  const { actor } = principal;
  return {
    ...principal,
    actor: { kind: "agent", id: name },
    agent: name,
    ...(actor.kind === "user" && { onBehalfOf: actor.id }),
    door: "hook",
    source: "agent",
    interactive: false,
  };
}

function mappingOf(tool: string, { tools, serverPrefix }: HookAgent): ToolMapping | undefined {
  return tools.get(tool) ?? (serverPrefix !== undefined && tool.startsWith(serverPrefix) ? "named" : undefined);
}

/** Weighs everything. One that this version does not know may start commands, so it asks whatever the policy allows. */
const factsOf = (name: string, { name: group }: HookAgent, mapping: "named" | undefined) => ({
  name,
  group,
  effects: {},
  approval: mapping === "named" ? ("auto" as const) : ("always_ask" as const),
  weight: { changes: true, openWorld: true, destructive: false, leaves: true, leavesUnasked: true, starts: undefined, judged: [] },
});

/** That of the agent where it gives one: before and after have the same. Else the same for the same call of one conversation. */
function callIdOf(agent: HookAgent, session: string, message: Members, call: { readonly tool: string; readonly input: unknown }): string {
  const own = textOf(message.tool_use_id);
  if (own !== undefined) return `${agent.name}:${own}`;
  const generation = textOf(message.generation_id) ?? "";
  return `${agent.name}:${sha256(JSON.stringify([session, generation, call.tool, call.input])).slice(0, 32)}`;
}
