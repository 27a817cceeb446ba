import type { Containment, Decision, Finding, Reach, Risk } from "../contract/decision.ts";
import type { PossibleChange } from "../contract/possible-change.ts";
import type { Anomaly, Posture } from "../contract/posture.ts";
import type { Principal } from "../contract/principal.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { Exec, Processes, WatchProcesses } from "./exec.ts";
import type { Files, ReadFiles } from "./files.ts";
import type { Git } from "./git.ts";
import type { Http, ReadHttp } from "./http.ts";
import type { Model } from "./model.ts";
import type { NetworkRules, PathRules, SandboxRules } from "./policy-rules.ts";
import type { Secrets } from "./secrets.ts";
import type { Tools } from "./tools.ts";

/** Ties the effect a tool declares to the handle it gets. */
export interface Capability<Declared, Handle> {
  readonly effect: Declared;
  readonly handle: Handle;
}

/** Hosts that the tool itself may reach at most, as host rules (`api.github.com`, `*.example.org:8443`). */
export interface HttpEffect<Access extends "read" | "write"> {
  readonly access: Access;
  readonly hosts: readonly string[];
}

/**
 * All capabilities, by name. Packages add theirs by interface augmentation:
 * `declare module "@toolwright/engine" { interface CapabilityRegistry { memory: Capability<"read", ReadMemory> } }`.
 */
export interface CapabilityRegistry {
  files: Capability<"read", ReadFiles> | Capability<"write", Files>;
  exec: Capability<"watch", WatchProcesses> | Capability<"manage", Processes> | Capability<"run", Exec>;
  http: Capability<"read" | HttpEffect<"read">, ReadHttp> | Capability<"write" | HttpEffect<"write">, Http>;
  git: Capability<"clone", Git>;
  model: Capability<"run", Model>;
  secrets: Capability<readonly string[], Secrets>;
  /** Names of tools and `group:` handles that it calls; `*` for every tool. */
  tools: Capability<readonly string[], Tools>;
}

/** Name of a capability: a built-in one, or one that a package adds to `CapabilityRegistry`. */
export type CapabilityName = keyof CapabilityRegistry;
/** The effects that a tool can declare for one capability. */
export type EffectOf<Name extends CapabilityName> = CapabilityRegistry[Name]["effect"];

type HandleIn<Union, Declared> =
  Union extends Capability<infer Possible, infer Handle> ? (Declared extends Possible ? Handle : never) : never;
/** The handle that a declared effect gives. */
export type HandleOf<Name extends CapabilityName, Declared> = HandleIn<CapabilityRegistry[Name], Declared>;

/** What a capability may know of the call it is opened for. */
export interface CallSite {
  readonly callId: string;
  /** The `idempotencyKey` that the call was made with: one that is made again after its process died has another id and the same key. */
  readonly key?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  readonly session: string;
  /** Aborts at timeout, cancellation and the end of the call. */
  readonly signal: AbortSignal;
  /** True when a person approved this call as a whole. */
  readonly approved: boolean;
  /** What is saved here is redacted and named in the call's result. */
  readonly artifacts: ArtifactStore;
  readonly paths: PathRules;
  readonly network: NetworkRules;
  readonly sandbox: SandboxRules;
  /** Judges something that the call's decision did not name; `ask` here can no longer be asked and must be refused. */
  judge(reach: Reach): Decision;
  /** Restarts the idle limit and shows the text to whoever follows the call. */
  output(stream: "stdout" | "stderr", text: string): void;
  /** Restarts the idle limit without a word. */
  alive(): void;
  /** Reports the posture of a run that begins. One with a network counts as having fetched something, by what its call names, until `reportReached` tells. */
  reportPosture(posture: Posture): void;
  /** Hosts that the run of the last posture was connected to, with their ports; none when it fetched nothing. */
  reportReached(hosts: readonly string[]): void;
  reportAnomaly(anomaly: Anomaly): void;
  /** Registers a value that must not appear in anything the call puts out. */
  taint(value: string): void;
  /** Takes what was registered out of a text that comes in chunks. Whoever cuts a text does this first: a part of a value cannot be recognised any more. */
  redactStream(): RedactStream;
  /** The bytes without what was registered; when they were cut behind, without an end that may be the beginning of it. */
  redactBytes(bytes: Uint8Array, options: { readonly isCut: boolean }): Uint8Array;
}

/** Holds back what may be the beginning of a value until more comes, or the end. */
export interface RedactStream {
  push(chunk: string): string;
  flush(): string;
}

/** What the words of a reach come to on this machine, for the person who is asked. */
export interface StandsFor {
  /** Real path of the folder that it happens in. */
  readonly folder?: string;
  /** Each program by its word and, where it is known, by the path of what would run. */
  readonly programs?: readonly { readonly word: string; readonly path?: string }[];
}

/** What a reach is on the machine now. */
export interface Fingerprint {
  readonly digest: string;
  /** What went into it: the name that people know a file by, and a mark that differs when the file does. Says which one changed. */
  readonly parts?: readonly (readonly [name: string, mark: string])[];
  /** Why it cannot be told before the call runs, and what to write instead: nobody is asked to approve such a call. */
  readonly unsettled?: string;
  readonly standsFor?: StandsFor;
}

/** Why a person has to be asked about a reach, whatever the policy says of its text. `subject` binds the approval: it differs when the danger does. */
export type Caution = Required<Pick<Finding, "rule" | "reason" | "subject" | "remedy">>;

/** A call as its capability may look at it before it runs. */
export interface ConcernedCall {
  readonly tool: string;
  readonly input: unknown;
  /** What the tool declares for the capability. */
  readonly declared: unknown;
}

export interface ConcernSite extends Pick<CallSite, "principal" | "session" | "network"> {
  readonly autonomy: "read_only" | "supervised" | "full";
}

/** Why a person has to be asked about a call, beyond what it reaches. `subject` binds the approval. */
export interface Concern extends Caution {
  /** Default: high. */
  readonly risk?: Risk;
  /** True where an earlier, bounded yes stands for it. Default: false. */
  readonly grantable?: boolean;
}

/** A call that waits for a person, for reading what stands where it would write. */
export interface BeforeSite extends Pick<CallSite, "principal" | "session" | "paths" | "signal" | "judge"> {
  /** Bytes of one text at most. */
  readonly maxBytes: number;
}

/** What an effect level comes to. Policy, hints, the sandbox and explanations read this, and never the name of a capability. */
export interface EffectWeight {
  /** It can change something. */
  readonly changes: boolean;
  /** It leaves this machine. */
  readonly openWorld: boolean;
  /** What it does may be impossible to undo. */
  readonly destructive?: boolean;
  /** It reaches only what calls of the same session began. */
  readonly ownOnly?: boolean;
  /** Its `concern` asks where a person has to look: a call that does not say what it reaches is not asked about as a whole. */
  readonly concerned?: boolean;
  /** It starts processes, so the policy's sandbox must be there: `commands` that a call names, or `programs` that the capability chooses. */
  readonly starts?: "commands" | "programs";
  /** What of a call the policy judges before it runs, in words: "each path that it names". */
  readonly judged?: string;
}

/** Weighs what a tool declares for a capability: a level, or an object. */
export type Weigh = (declared: unknown) => EffectWeight;

/** Whose workspace a reach is looked at in, and which folders beside it the policy opens; without `paths`, none. */
export interface WorkspaceCaller extends Pick<CallSite, "principal" | "session"> {
  readonly paths?: PathRules;
}

/** Makes the handles of one capability. */
export interface CapabilityProvider<Name extends CapabilityName = CapabilityName> {
  readonly name: Name;
  /** How its levels weigh. The engine knows those of its own contracts; a capability that does not say weighs everything. */
  weigh?(declared: EffectOf<Name>): EffectWeight;
  /** *Contract:* cheap and synchronous; real work happens when the handle is used. */
  open(effect: EffectOf<Name>, site: CallSite): CapabilityRegistry[Name]["handle"];
  /**
   * What a reach is on this machine now, beyond its text: the real folder, the program that would run, the content of a script. Asked when an
   * approval is made and again before it is used; when the answers differ, the approval is void (R-AP-3). Undefined when it has nothing to say.
   * A text is a digest without parts.
   */
  fingerprint?(reach: Reach, caller: WorkspaceCaller & Pick<CallSite, "sandbox">): Promise<string | Fingerprint | undefined>;
  /**
   * What only this machine can say against a reach that the policy does not deny, such as a program that a repository's configuration names.
   * Each caution makes the call ask, and no grant stands for the person. Asked again before an approval is used. *Contract:* never rejects.
   */
  caution?(reach: Reach, caller: Pick<CallSite, "principal" | "session">): Promise<readonly Caution[]>;
  /**
   * What a reach comes to on this machine that the place where it runs does not hold back, of `missing`: where the paths really lead that it names,
   * and which credential files lie below folders that it looks through. Asked where a decision relies on such containment. Each caution makes the
   * call ask, and no grant stands for the person. *Contract:* never rejects; what cannot be found out is a caution.
   */
  uncontained?(reach: Reach, missing: readonly Containment[], caller: WorkspaceCaller): Promise<readonly Caution[]>;
  /**
   * What this session can say against a call that the policy does not deny. Each concern makes the call ask. Asked again before an approval is used.
   * *Contract:* never rejects.
   */
  concern?(call: ConcernedCall, site: ConcernSite): Promise<readonly Concern[]>;
  /**
   * Hosts, with their ports, that a call acts on, where its session and not its input says so: what was read from there is no reason to ask about it.
   * None for a call that will do nothing; undefined where it is not known. *Contract:* synchronous, from memory.
   */
  actsOn?(call: ConcernedCall, site: ConcernSite): readonly string[] | undefined;
  /**
   * Why tools with this capability cannot work for this caller at all, and what would change that: they are hidden and badged. *Contract:* synchronous,
   * from memory.
   */
  missing?(caller: Pick<Principal, "tenant" | "agent">): { readonly reason: string; readonly change: PossibleChange } | undefined;
  /** Name of the folder that the handles reach in a call of this caller: what `ctx.workspace` says. Never its path. */
  workspace?(caller: Pick<CallSite, "principal" | "session">): string;
  /**
   * Absolute paths that programs of a command have for the workspace of this caller: as it is configured, and with its links resolved. None for a
   * caller without one. *Contract:* synchronous; never throws.
   */
  roots?(caller: Pick<CallSite, "principal" | "session">): readonly string[];
  /** Ends what was to last for a session that is over. */
  endSession?(tenant: string, session: string): Promise<void>;
  /**
   * Why the capability refuses what a reach names, in the words that the call would get; undefined when it knows nothing against it. Asked to
   * explain a call, never to decide one. *Contract:* never rejects.
   */
  refusal?(reach: Reach, caller: WorkspaceCaller): Promise<string | undefined>;
  /**
   * The text that stands where a reach would write or delete, for the person who is asked; `text` is undefined where there is none, and the
   * answer where the capability has nothing to say. *Contract:* nothing is read that the site's rules do not let the call read unasked; rejects
   * with ToolwrightError for that, for what is not text, and for what is larger than `maxBytes`.
   */
  before?(reach: Reach, site: BeforeSite): Promise<{ readonly text: string | undefined } | undefined>;
  close?(): Promise<void>;
}
