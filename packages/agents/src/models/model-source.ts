import type { LanguageModelV4 } from "@ai-sdk/provider";
import { ToolwrightError } from "@toolwright/engine";
import type { SchemaTarget } from "@toolwright/engine/schema";

/** Whose keys a model is opened with. */
export interface ModelSite {
  readonly tenant: string;
  readonly agent: string;
}

/** A model that is ready to answer. */
export interface OpenedModel {
  /** `provider/name`, as agents and settings write it. */
  readonly id: string;
  readonly model: LanguageModelV4;
  /** Whose rules the schemas of tools keep. */
  readonly target: SchemaTarget;
}

/** Opens the models of one provider. One file each, imported at first use. */
export interface ModelProvider {
  /** Before the slash: `openai-compatible`. */
  readonly name: string;
  /** Rejects with `model_unavailable` where something is missing, with the secret or setting that brings it. */
  open(name: string, site: ModelSite): Promise<OpenedModel>;
}

/** Opens models by name. */
export interface ModelSource {
  /** Of agents that name none. */
  readonly usual: string;
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
    async open(id, site) {
      const [, provider = "", name = ""] = /^([a-z][a-z0-9-]*)\/(.+)$/.exec(id) ?? [];
      const load = providers.get(provider);
      if (!load) {
        const known = [...providers.keys()].join(", ");
        const message = `There is no model ${JSON.stringify(id)}. Write provider/name, with one of the providers ${known}.`;
        throw new ToolwrightError("model_unavailable", message);
      }
      return (await load()).open(name, site);
    },
  };
}
