import { events, items, lax, nextId, textOf, type Wire } from "./wire.ts";

/** OpenAI's chat completions, as opencode speaks them to a provider of its user's own. */
export const openAIChat: Wire = {
  answers: (path) => path.endsWith("/chat/completions"),
  read(body) {
    const { tools, messages } = lax(body);
    const results = items(messages).filter(({ role }) => String(role) === "tool");
    return {
      tools: items(tools).map((tool) => ({ name: String(lax(tool.function).name) })),
      results: results.map(({ content }) => textOf(content)),
    };
  },
  write(reply, { body }) {
    const head = { id: nextId("chat"), created: 1, model: "scripted" };
    const call = "text" in reply ? undefined : { id: nextId("call"), type: "function", function: functionOf(reply) };
    const message = call
      ? { role: "assistant", content: null, tool_calls: [{ index: 0, ...call }] }
      : { role: "assistant", content: "text" in reply ? reply.text : "" };
    const reason = call ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (lax(body).stream === undefined) {
      const choices = [{ index: 0, message, finish_reason: reason }];
      return { type: "application/json", body: JSON.stringify({ ...head, object: "chat.completion", choices, usage }) };
    }
    const chunk = (choice: object) => ({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] });
    return events([
      [undefined, chunk({ delta: message, finish_reason: null })],
      [undefined, { ...chunk({ delta: {}, finish_reason: reason }), usage }],
      [undefined, "[DONE]"],
    ]);
  },
};

const functionOf = (reply: { readonly call: { readonly name: string }; readonly input: object }) => ({
  name: reply.call.name,
  arguments: JSON.stringify(reply.input),
});
