import { oneLine } from "../../contract/visible-text.ts";
import type { RemovedFolder } from "../../ports/agent-files.ts";
import type { Agent, AgentBelongings, AgentTool } from "../../ports/catalogue-store.ts";
import type { Rendering } from "../shell.ts";

interface OpenedAgent extends Agent {
  readonly skills: readonly string[];
  readonly tools: readonly AgentTool[];
}

export const agentsView: Rendering<{ readonly items: readonly Agent[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["No agents are stored: assistant answers with the usual settings. Make one with: toolwright agents create NAME"]
      : [{ head: ["agent", "tools", "accepts agents", "off", "name"], rows: items.map(toRow) }],
};

export const agentView: Rendering<OpenedAgent> = { show: describeAgent };

/** All of an agent, line by line. */
function describeAgent(found: OpenedAgent): readonly string[] {
  const { agent, name, skills, model = "the usual one", limits = {}, instructions, tools: rows } = found;
  const [, tools, accepts, off] = toRow(found);
  const limited = Object.entries(limits).map(([limit, value]) => `${limit} ${value}`);
  return [
    `${agent}: ${name}`,
    `Tools: ${tools}. Accepts agents: ${accepts}. Features off: ${off}. Skills: ${skills.join(", ") || "none"}.`,
    `Model: ${model}. Limits: ${limited.join(", ") || "the usual ones"}.`,
    ...(instructions === undefined ? [] : ["", instructions.trimEnd(), ""]),
    ...rows.map(
      ({ tool, source, skill, enabled }) => `  ${tool}: ${enabled ? "on" : "off"}, ${skill === undefined ? source : `skill ${skill}`}`,
    ),
  ];
}

function toRow({ agent, name, restricted, acceptsAgents, features }: Agent): readonly string[] {
  const off = Object.keys(features).filter((feature) => features[feature] === false);
  return [agent, restricted ? "only enabled ones" : "all but disabled ones", acceptsAgents ? "yes" : "no", off.join(", ") || "none", name];
}

interface Belongings extends AgentBelongings {
  readonly folders?: readonly string[] | undefined;
  readonly left?: readonly string[] | undefined;
}

/** What goes with an agent, for who is asked whether to delete it. */
export const belongingsView: Rendering<Belongings> = {
  show({ folders = [], left = [], ...found }, { input: { agent } }) {
    const files = folders.length === 0 ? "" : `, and the files of its conversations in ${folders.join(" and ")}`;
    return [
      `With the agent ${agent} go ${describeBelongings(found)}${files}. What it did stays in the log.`,
      ...describeRooms(found),
      ...left.map((folder) => `${folder} stays: nothing says that it is the agent's.`),
    ];
  },
};

interface RemovedAgent {
  readonly agent: string;
  readonly removed: AgentBelongings & { readonly conversations: number };
  readonly folders?: readonly RemovedFolder[] | undefined;
  readonly left?: readonly string[] | undefined;
}

export const removedAgentView: Rendering<RemovedAgent> = {
  show: (answer) => [
    `Deleted the agent ${answer.agent} with ${describeBelongings(answer.removed)}${describeConversations(answer)}.`,
    ...describeRooms(answer.removed).map(asNote),
    ...(answer.folders ?? []).flatMap(({ folder, problem }) =>
      problem === undefined ? [] : [asNote(`The agent is deleted, but not all its files (${problem}). Remove ${folder} by hand.`)],
    ),
    ...(answer.left ?? []).map((folder) => asNote(`${folder} stays: nothing says that it is the agent's. Remove it by hand if it is.`)),
  ],
  json: ({ left = [], ...answer }) => ({ ...answer, left }),
  ends: ({ folders = [] }) => (folders.some(({ problem }) => problem !== undefined) ? "failed" : "done"),
};

const asNote = (note: string) => ({ note, always: true }) as const;

function describeConversations({ folders, removed: { conversations } }: RemovedAgent): string {
  if (folders === undefined) return conversations === 0 ? "" : `, and ${count(conversations, "conversation")}`;
  return folders
    .map(({ folder, conversations: number }) => `, and ${count(number, "conversation") || "no conversation"} in ${folder}`)
    .join("");
}

/** They belong to people. */
function describeRooms({ rooms }: AgentBelongings): readonly string[] {
  if (rooms.length === 0) return [];
  const [stay, their] = rooms.length === 1 ? ["stays", "its"] : ["stay", "their"];
  return [`${count(rooms.length, "room", rooms)} ${stay}, and ${their} events go to people.`];
}

/** `the schedule nightly, 2 keys and 3 secrets` */
function describeBelongings(belongings: AgentBelongings): string {
  const { schedules, hooks, jobs, keys, grants, approvals, turns, secrets, memories, tools, skills } = belongings;
  const parts = [
    count(schedules.length, "schedule", schedules),
    count(hooks.length, "hook", hooks),
    count(jobs.length, "unfinished job", jobs),
    count(keys.length, "API key", keys),
    count(grants.length, "grant"),
    count(approvals.length, "waiting approval"),
    count(turns.length, "open turn"),
    count(secrets, "secret"),
    count(memories, "memory", [], "memories"),
    count(tools, "row of its tools", [], "rows of its tools"),
    count(skills, "skill"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "nothing else" : parts.join(", ");
}

function count(number: number, one: string, names: readonly string[] = [], more = `${one}s`): string {
  if (number === 0) return "";
  const listed = names.length > 0 && names.length <= 10 ? ` (${names.map(oneLine).join(", ")})` : "";
  return `${number} ${number === 1 ? one : more}${listed}`;
}
