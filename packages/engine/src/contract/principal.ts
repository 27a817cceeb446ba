import type { Json } from "./json.ts";

/** The surface that a call came through: one of ours, or a name of an embedder's own, `^[a-z][a-z0-9-]{0,31}$`. */
export type Door = "ai-sdk" | "mcp" | "rest" | "cli" | "form" | "agent" | "code" | (string & {});
/** What started the call: reports show it. */
export type Source = "web" | "agent" | "api" | "cli" | "mcp" | "schedule";
/** The situation an agent runs in. */
export type Runtime = "chat" | "schedule" | "sub_agent" | "room" | "webhook";

/** The person or program that acts, by kind and id. */
export interface Actor {
  readonly kind: "user" | "agent" | "service";
  readonly id: string;
}

/** What something may reach at most, or is kept from. Members that are left out say nothing. */
export interface Bounds {
  /** Names and `group:` handles. */
  readonly tools?: readonly string[];
  /** Patterns as in `commands.rules` of the policy. */
  readonly commands?: readonly string[];
  /** A path of the workspace with all below it. */
  readonly paths?: readonly { readonly prefix: string; readonly access: "read" | "write" | "delete" }[];
  /** Host rules. */
  readonly hosts?: readonly string[];
  readonly secrets?: readonly string[];
  readonly permissions?: readonly string[];
}

/**
 * What a principal has from another: at most what that one has, within `ceiling` (what the agent is made for) and `assignment` (what it is
 * given for this piece of work), without `deny` (what it keeps itself from). A ceiling or assignment that bounds paths or hosts permits only
 * the commands that it names.
 */
export interface Delegation {
  readonly from: Principal;
  readonly ceiling?: Bounds;
  readonly assignment?: Bounds;
  readonly deny?: Bounds;
}

/** A sub-agent: who it is, and how much of its parent it gets. What is left out narrows nothing. */
export interface ChildOptions extends Omit<Delegation, "from"> {
  readonly agent: string;
  /** True when nobody is to be asked for it: what asks is then denied. A child of an unattended run is always so. */
  readonly unattended?: boolean;
}

/**
 * Who asks. It comes from authentication, never from arguments.
 * `interactive` says that a person can be asked through this door, now; without one `ask` waits as a pending approval. Where authentication says
 * false, the credential is not for answering, whatever the client can do.
 */
export interface Principal {
  readonly tenant: string;
  readonly actor: Actor;
  /** The agent in whose name the call is made, if any. */
  readonly agent?: string;
  readonly permissions: readonly string[];
  /** Id of the API key that a person's call came with: what is done later in the person's name ends with that key. */
  readonly key?: string;
  /** Id of the person in whose conversation an agent acts; that person may answer what the agent and its sub-agents wait for. */
  readonly onBehalfOf?: string;
  readonly door: Door;
  readonly source?: Source;
  readonly runtime?: Runtime;
  /** Harness categories that the runtime admits. */
  readonly harness?: readonly string[];
  readonly interactive?: boolean;
  /** True in runs without a person (schedule, webhook, sub-agent): `ask` becomes a denial that says why. */
  readonly unattended?: boolean;
  /** Set for sub-agents; it narrows and never widens. */
  readonly delegated?: Delegation;
  /** Sessions whose foreign content counts as read by this principal: those of the turns that began it. */
  readonly foreignFrom?: readonly string[];
  /** Facts for context-built schemas and feature flags: `memory: false` hides memory tools. */
  readonly attributes?: Readonly<Record<string, Json>>;
}

/** A principal as a program names it. Without `door` the call came from the program's own `code`; without `permissions` it has none. */
export type GivenPrincipal = Omit<Principal, "door" | "permissions"> & Partial<Pick<Principal, "door" | "permissions">>;
