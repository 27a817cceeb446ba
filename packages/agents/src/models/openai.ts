import { imagesOf } from "./files-of-models.ts";
import { contextWindowOf } from "./model-facts.ts";
import type { FailureWords } from "./model-failure.ts";
import { type ModelKeys, requireKey, secretNeeds } from "./model-keys.ts";
import type { ModelProvider } from "./model-source.ts";
import { fetchStream } from "./read-stream.ts";
import { withOptions } from "./with-options.ts";

export interface HostedModelsOptions {
  readonly keys: ModelKeys;
  /** Default: the provider's own. */
  readonly url?: string;
}

/** Models of OpenAI, over the Responses API. Nothing is stored there: reasoning comes sealed and goes back as it came. */
export function openAIModels({ keys, url = "https://api.openai.com/v1" }: HostedModelsOptions): ModelProvider {
  return {
    name: "openai",
    needs: secretNeeds(keys, ["openai_api_key"]),
    async open(name, site) {
      const id = `openai/${name}`;
      const apiKey = await requireKey(keys, "openai_api_key", { site, id });
      const { createOpenAI } = await import("@ai-sdk/openai");
      // The address is given, since the SDK would read it from the environment.
      const provider = createOpenAI({ apiKey, baseURL: url, fetch: fetchStream({ id }) });
      return {
        ...{ id, model: provider.responses(name), target: "openai" as const, contextWindow: contextWindowOf(id) },
        mark: (request) => withOptions(request, "openai", { store: false, promptCacheKey: site.conversation }),
        files: { ...imagesOf(10_000_000), "application/pdf": 10_000_000 },
        takesFilesInResults: true,
        ...{ words, keys: [apiKey] },
      };
    },
  };
}

const words: FailureWords = {
  "context-too-long": /context_length_exceeded|exceeds the context window|maximum context length/i,
  "quota-spent": /insufficient_quota|billing_(hard_limit|not_active)/i,
};
