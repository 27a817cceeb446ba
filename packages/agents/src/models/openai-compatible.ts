import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolwrightError } from "@toolwright/engine";
import type { ModelProvider, ModelSite } from "./model-source.ts";

export interface OpenAICompatibleOptions {
  /** Up to and with `/v1`; undefined where nobody said. */
  readonly url: string | undefined;
  /** Undefined for a server that wants none. */
  readonly key: (site: ModelSite) => Promise<string | undefined>;
  readonly fetch?: typeof fetch;
}

/** Models of a server that speaks Chat Completions: Ollama, llama.cpp, vLLM. */
export function openAICompatibleModels({ url, key, fetch }: OpenAICompatibleOptions): ModelProvider {
  return {
    name: "openai-compatible",
    async open(name, site) {
      if (url === undefined)
        throw new ToolwrightError(
          "model_unavailable",
          `The model openai-compatible/${name} has no server. Set TOOLWRIGHT_MODEL_URL, such as http://127.0.0.1:11434/v1.`,
        );
      const apiKey = await key(site);
      const provider = createOpenAICompatible({
        name: "openai-compatible",
        baseURL: url,
        includeUsage: true,
        ...(apiKey !== undefined && { apiKey }),
        ...(fetch && { fetch }),
      });
      return { id: `openai-compatible/${name}`, model: provider(name), target: "openai" };
    },
  };
}
