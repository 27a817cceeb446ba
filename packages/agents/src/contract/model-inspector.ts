import { definePort } from "@toolwright/engine/operations";

/** Something that a provider needs before its models answer. */
export interface ProviderNeed {
  /** A secret of the agent or its tenant, or a setting of the server. */
  readonly kind: "secret" | "setting";
  /** `anthropic_api_key`, or `TOOLWRIGHT_MODEL_URL`. */
  readonly name: string;
  readonly isThere: boolean;
}

/** A provider of models, with what it needs. */
export interface ListedProvider {
  /** Before the slash of a model's name. */
  readonly provider: string;
  readonly needs: readonly ProviderNeed[];
}

/** One thing that agents need of a model. */
export interface ModelCheck {
  readonly name: "reach" | "streaming" | "tools" | "usage";
  readonly ok: boolean;
  /** One sentence for people: what was seen, or what to do. */
  readonly message: string;
}

/** Whose keys are looked at: those of the agent, then those of the tenant. */
export interface KeyOwner {
  readonly tenant: string;
  readonly agent?: string | undefined;
}

/** Says which models there are and what they can. */
export interface ModelInspector {
  /** The model of agents that name none, as `provider/name`. */
  readonly usual: string;
  providers(owner: KeyOwner): Promise<readonly ListedProvider[]>;
  /** Asks the model twice. *Contract:* what is wrong is reported, not thrown; no key is in it. */
  test(model: string, options: KeyOwner & { readonly signal?: AbortSignal | undefined }): Promise<readonly ModelCheck[]>;
}

export const modelsPort = definePort<ModelInspector>()("models", "who knows the models of agents, as @toolwright/server does");
