export interface Completion {
  readonly answer: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Stands for a provider's client: it answers with the last line, and counts a word as a token. */
export async function complete(prompt: string, { signal }: { readonly signal: AbortSignal }): Promise<Completion> {
  signal.throwIfAborted();
  const answer = prompt.split("\n").at(-1) ?? "";
  const count = (text: string) => text.split(/\s+/).filter(Boolean).length;
  return { answer, inputTokens: count(prompt), outputTokens: count(answer) };
}
