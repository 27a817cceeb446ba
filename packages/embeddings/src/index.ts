export { createLocalEmbedder, type LocalEmbedderOptions } from "./local-embedder.ts";
