import { imagesOf } from "./files-of-models.ts";
import { markPrompt } from "./mark-prompt.ts";
import { contextWindowOf } from "./model-facts.ts";
import type { FailureWords } from "./model-failure.ts";
import { requireKey, secretNeeds } from "./model-keys.ts";
import type { ModelProvider } from "./model-source.ts";
import type { HostedModelsOptions } from "./openai.ts";
import { fetchStream } from "./read-stream.ts";
import { withOptions } from "./with-options.ts";

/** Models of Anthropic, over the Messages API. The last tool comes marked from the door, which knows the tools that stay. */
export function anthropicModels({ keys, url = "https://api.anthropic.com/v1" }: HostedModelsOptions): ModelProvider {
  return {
    name: "anthropic",
    needs: secretNeeds(keys, ["anthropic_api_key"]),
    async open(name, site) {
      const id = `anthropic/${name}`;
      const apiKey = await requireKey(keys, "anthropic_api_key", { site, id });
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      // The address is given, since the SDK would read it from the environment.
      const provider = createAnthropic({ apiKey, baseURL: url, fetch: fetchStream({ id }) });
      return {
        ...{ id, model: provider(name), target: "anthropic" as const, contextWindow: contextWindowOf(id) },
        mark: (request) => ({
          ...request,
          prompt: markPrompt(request.prompt, (message) => withOptions(message, "anthropic", { cacheControl: { type: "ephemeral" } })),
        }),
        // 5 MB of base64.
        files: { ...imagesOf(3_750_000), "application/pdf": 10_000_000 },
        takesFilesInResults: true,
        ...{ words, keys: [apiKey] },
      };
    },
  };
}

const words: FailureWords = {
  "context-too-long": /prompt is too long|exceed context limit|request_too_large/i,
  "quota-spent": /credit balance is too low|billing_error/i,
};
