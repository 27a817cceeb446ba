export { createLocalEmbedder, type LocalEmbedderOptions } from "./local-embedder.ts";
export { type OpenAIEmbedderOptions, openOpenAIEmbedder } from "./openai-embedder.ts";
