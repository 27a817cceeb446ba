import type { CallUsage, Engine, Principal, Scope } from "@toolwright/engine";
import type { ArtifactStore, Ids, NetworkRules, TurnRecord, TurnStream, Turns } from "@toolwright/engine/ports";
import type { AgentSource } from "../agent/agent-profile.ts";
import type { ModelSource } from "../models/model-source.ts";
import type { Standing } from "../standing.ts";
import type { Leaving } from "./leaving.ts";
import type { OfferTools } from "./offer-tools.ts";
import type { TurnLogParts } from "./turn-log.ts";
import type { TurnSeal } from "./turn-seal.ts";

/** What turns work with. */
export interface TurnParts extends AgentSource, TurnLogParts {
  readonly engine: Pick<Engine, "scope" | "operate" | "sealing">;
  readonly turns: Turns;
  readonly models: ModelSource;
  readonly offerTools: OfferTools;
  readonly ids: Ids;
  /** Takes results that requests hold no more. */
  readonly artifacts: Pick<ArtifactStore, "create">;
  /** What people who watch see. */
  readonly stream: TurnStream;
  /** Without it, turns go on with the rights that they began with. */
  readonly standingOf?: ((principal: Principal) => Promise<Standing>) | undefined;
  /** Without it, a turn whose call is stopped ends, also where it is the process that ends. */
  readonly leaving?: Leaving | undefined;
}

/** How one run of a turn left it. */
export type TurnOutcome =
  | { readonly kind: "ended"; readonly turn: TurnRecord }
  | { readonly kind: "waits"; readonly turn: TurnRecord; readonly waitsFor: readonly string[] };

/** By the key of a call: who hears the turn of the sub-agent that it began or goes on with. */
export type ChildHearers = Map<string, (turn: string) => void>;

/** Takes what calls of a turn had a model do beside it, while the turn runs. */
export interface TurnMeter {
  add: ((usage: SpentOn) => void) | undefined;
}

/** What was spent on a model. */
export type SpentOn = Omit<CallUsage, "models"> & { readonly model: string };

/** What the call that runs a turn gives it. */
export interface TurnSite {
  /** Scope of the agent in the conversation. */
  readonly scope: Scope;
  readonly seal: TurnSeal;
  readonly network: NetworkRules;
  readonly signal: AbortSignal;
  /** The call is alive. */
  readonly alive: () => void;
  /** Hears what the agent says, as it comes. */
  readonly say?: ((text: string) => void) | undefined;
  /** Hears why nothing comes of the turn for a while, after so many steps. */
  readonly tell?: ((message: string, steps: number) => void) | undefined;
  /** Who hears of sub-agents; undefined in a turn that begins none. */
  readonly hearers?: ChildHearers | undefined;
  /** Counts requests that calls make to models in the session of the turn. */
  readonly meter?: TurnMeter | undefined;
  readonly spend: (usage: SpentOn) => void;
}
