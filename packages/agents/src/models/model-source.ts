import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { ToolwrightError } from "@toolwright/engine";
import type { NetworkRules } from "@toolwright/engine/ports";
import type { SchemaTarget } from "@toolwright/engine/schema";
import type { ProviderNeed } from "../contract/model-inspector.ts";
import { fitRequest } from "./fit-prompt.ts";
import type { FailureWords } from "./model-failure.ts";

/** Whose keys a model is opened with, and for what. */
export interface ModelSite {
  readonly tenant: string;
  /** Without one the keys are the tenant's. */
  readonly agent?: string | undefined;
  /** Requests of one conversation begin alike: providers with a cache of prompts keep them together by it. */
  readonly conversation: string;
  /** What the policy lets a server that a tenant names be; without it a public one. */
  readonly network?: NetworkRules | undefined;
}

/** A model that is ready to answer. */
export interface OpenedModel {
  /** `provider/name`, as agents and settings write it. */
  readonly id: string;
  readonly model: LanguageModelV4;
  /** Whose rules the schemas of tools keep. */
  readonly target: SchemaTarget;
  /** Tokens that fit in a request; undefined where nobody knows. */
  readonly contextWindow?: number | undefined;
  /**
   * Gives a request what its provider wants beside the messages: options, marks of its cache. Called for each request anew.
   * *Contract:* changes nothing that it is given, since the messages are those of the conversation.
   */
  readonly mark?: (request: LanguageModelV4CallOptions) => LanguageModelV4CallOptions;
  /** Files that a message may hold, by their media types, with the bytes that one may have. Others are shown as text, or named. */
  readonly files?: Readonly<Record<string, number>>;
  /** True where results may hold those files; they follow the results in a message of their own otherwise. */
  readonly takesFilesInResults?: boolean;
  /** How its server says that it takes no such file, where its status does not: some answer 500. */
  readonly refusesFiles?: RegExp;
  readonly words?: FailureWords;
  /** What the model was opened with: nothing that its server says of them is shown or stored. */
  readonly keys?: readonly string[];
}

/** Something that a provider needs before its models answer. */
export interface ModelNeed extends Omit<ProviderNeed, "isThere"> {
  readonly isThere: (site: ModelSite) => Promise<boolean>;
}

/** Opens the models of one provider. One file each; the provider's SDK is imported when a model is first opened. */
export interface ModelProvider {
  /** Before the slash: `openai-compatible`. */
  readonly name: string;
  readonly needs: readonly ModelNeed[];
  /** Rejects with `model_unavailable` where something is missing, with the secret or setting that brings it. */
  open(name: string, site: ModelSite): Promise<OpenedModel>;
}

/** Opens models by name. */
export interface ModelSource {
  /** Id of the model for agents that name none. */
  readonly usual: string;
  providers(): Promise<readonly ModelProvider[]>;
  /** Rejects with `model_unavailable`. */
  open(id: string, site: ModelSite): Promise<OpenedModel>;
}

export interface ModelSourceOptions {
  /** Each loads its code when it is first asked for. */
  readonly providers: ReadonlyMap<string, () => Promise<ModelProvider>>;
  readonly usual: string;
}

/** Opens `provider/name`: the name may hold slashes of its own. */
export function createModelSource({ providers, usual }: ModelSourceOptions): ModelSource {
  return {
    usual,
    providers: () => Promise.all([...providers.values()].map((load) => load())),
    async open(id, site) {
      const [, provider = "", name = ""] = /^([a-z][a-z0-9-]*)\/(.+)$/.exec(id) ?? [];
      const load = providers.get(provider);
      if (!load) {
        const known = [...providers.keys()].join(", ");
        const message = `There is no model ${JSON.stringify(id)}. Write provider/name, with one of the providers ${known}.`;
        throw new ToolwrightError("model_unavailable", message);
      }
      const opened = await (await load()).open(name, site);
      const { mark = (request) => request } = opened;
      return { ...opened, mark: (request) => mark(fitRequest(request)) };
    },
  };
}
