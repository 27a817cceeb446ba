import type { ForeignKind } from "@toolwright/engine/ports";

/** Members of a JSON object that somebody else wrote. */
export type Members = Readonly<Record<string, unknown>>;

/** What a hook's input says of one call of the agent's own tools. */
interface HookedCall {
  readonly tool: string;
  readonly input: unknown;
}

/** One event of an agent: before a tool runs, or after it ran. */
export interface HookEvent {
  readonly when: "before" | "after";
  /** True where the agent asks its person when it is told to. */
  readonly asks?: boolean;
  read(message: Members): HookedCall;
  /** After a run that failed: what went wrong. */
  error?(message: Members): string | undefined;
  /** After a run: what it gave. */
  output?(message: Members): unknown;
}

/** How paths of the agent are named to tools of ours. */
export interface PathWords {
  /** Relative to the folder of the project where it lies in it; else as it is. */
  at(path: unknown): unknown;
  /** The folder that the agent is in, relative to that of the project; undefined for that itself. */
  readonly workdir: string | undefined;
}

/** What a tool of the agent is to the policy: calls of tools of ours, or nothing that the policy speaks of. */
export type ToolMapping =
  | ((input: Members, paths: PathWords) => readonly OurCall[])
  /** The agent's own rules go on: the tool reaches nothing, or our own door decides it. */
  | "pass"
  /** By its name, as the policy says of tools that can change anything. */
  | "named";

/** A call of a tool of ours that reaches the same. */
export interface OurCall {
  readonly tool: string;
  readonly input: Members;
}

export type HookAnswer = { readonly effect: "allow" } | { readonly effect: "ask" | "deny"; readonly reason: string };

/** All that is known of an agent's hooks: each declares its own answers. */
export interface HookAgent {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Where the vendor writes down what stands here, and the day on which it was read. */
  readonly source: { readonly url: string; readonly read: string };
  /** The member that holds the id of the conversation. */
  readonly session: string;
  /** The variable in which the agent names the folder of the project, where it has one. */
  readonly projectVariable?: string;
  readonly events: ReadonlyMap<string, HookEvent>;
  readonly tools: ReadonlyMap<string, ToolMapping>;
  /** What a tool of the agent reads that nobody here wrote. */
  readonly brings: (tool: string) => ForeignKind | undefined;
  /** How names of tools begin that are decided elsewhere: by our own MCP door, or by another event of the agent. */
  readonly passPrefixes: readonly string[];
  /** How names of tools of other MCP servers begin, which are decided by their names. */
  readonly serverPrefix?: string;
  /** What goes to stdout; an empty text says nothing. */
  write(event: string, answer: HookAnswer): string;
}

export const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);
export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});
export const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** A mapping to one call of one tool. */
export const toTool =
  (tool: string, input: (input: Members, paths: PathWords) => Members): ToolMapping =>
  (given, paths) => [{ tool, input: input(given, paths) }];

/** By name; what begins so is a tool of another MCP server. */
export const bringing =
  (kinds: Readonly<Record<string, ForeignKind>>, ofServers?: string) =>
  (tool: string): ForeignKind | undefined => {
    if (Object.hasOwn(kinds, tool)) return kinds[tool];
    return ofServers !== undefined && tool.startsWith(ofServers) ? "upstream" : undefined;
  };

/** Without members that are not there. */
export const given = (members: Members): Members => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The members that Claude Code names so, and others after it. */
export const namedCall = (message: Members): HookedCall => ({
  tool: textOf(message.tool_name) ?? "",
  input: message.tool_input,
});
