import type { McpServing } from "./door-options.ts";

/** Where the news of a change goes. */
export interface ChangeSink {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** Passes on every change of what the door offers; returns how to stop. */
export function followChanges({ engine, prompts, resources }: McpServing, sink: ChangeSink): () => void {
  const stops = [
    engine.onChange(() => sink.toolsChanged()),
    prompts?.onListChanged?.(() => sink.promptsChanged()),
    resources?.onListChanged?.(() => sink.resourcesChanged()),
    resources?.onUpdated?.((uri) => sink.resourceUpdated(uri)),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}
