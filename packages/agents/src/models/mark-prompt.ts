import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/**
 * Marks where the cache of a provider is to end: after the instructions, after the last message, and after what the request before ended with,
 * since providers look back over few parts only. With one mark for the tools these are four, the most that providers take.
 */
export function markPrompt(prompt: LanguageModelV4Prompt, mark: (message: LanguageModelV4Message) => LanguageModelV4Message) {
  const marked = new Set([prompt.findLastIndex(({ role }) => role === "system"), ...endings(prompt).slice(-2)]);
  return prompt.map((message, index) => (marked.has(index) ? mark(message) : message));
}

/** Where requests of the conversation ended: each before an answer, and the last message. */
function endings(prompt: LanguageModelV4Prompt): readonly number[] {
  return prompt.flatMap(({ role }, index) => {
    const isAsked = role === "user" || role === "tool";
    return isAsked && (index === prompt.length - 1 || prompt[index + 1]?.role === "assistant") ? [index] : [];
  });
}
