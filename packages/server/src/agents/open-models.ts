import {
  anthropicModels,
  bedrockModels,
  createModelSource,
  demoModels,
  type ModelKeysOptions,
  type ModelSite,
  type ModelSource,
  modelKeys,
  openAICompatibleModels,
  openAIModels,
} from "@toolwright/agents";
import { createDial, guardedFetch } from "@toolwright/sandbox";

/** The model of agents that name none, as the operator sets it. */
export interface ModelSettings {
  /** `provider/name`; undefined for a model that needs nothing and is none. */
  readonly name?: string | undefined;
  /** URL of a server that speaks Chat Completions, up to and with `/v1`. */
  readonly url?: string | undefined;
  /** Key of that server, where it wants one. */
  readonly key?: string | undefined;
  /** Tokens that fit into a request to its models. */
  readonly window?: number | undefined;
  /** The operator's keys for hosted models. */
  readonly operator?: ModelKeysOptions["operator"];
}

const withoutKey = "demo/demo";

/** Network of a server that a tenant names, without a policy. */
const publicAlone = { deny: [], allowRanges: [] };

interface ModelParts {
  readonly secrets: ModelKeysOptions["secrets"];
  /** Names under which others reach this server. */
  readonly ownHosts?: readonly string[] | undefined;
}

/** The models that agents of a server may name. */
export function openModels({ name, url, key, window, operator }: ModelSettings, { secrets, ownHosts = [] }: ModelParts): ModelSource {
  const keys = modelKeys({ secrets, operator });
  const server = url === undefined ? undefined : { url, key, window };
  const connect = createDial();
  const own = { keys, fetch: ({ network = publicAlone }: Pick<ModelSite, "network">) => guardedFetch({ network, ownHosts, connect }) };
  return createModelSource({
    usual: name ?? withoutKey,
    providers: new Map([
      ["demo", async () => demoModels()],
      ["openai-compatible", async () => openAICompatibleModels({ server, own })],
      ["openai", async () => openAIModels({ keys })],
      ["anthropic", async () => anthropicModels({ keys })],
      ["bedrock", async () => bedrockModels({ keys })],
    ]),
  });
}
