import { events, items, lax, nextId, textOf, type Wire } from "./wire.ts";

/** Anthropic's Messages API, as Claude Code speaks it. */
export const anthropicMessages: Wire = {
  answers: (path) => path.endsWith("/v1/messages"),
  read(body) {
    const { tools, messages } = lax(body);
    const blocks = items(messages).flatMap(({ content }) => items(content));
    const calls = new Map(blocks.filter(({ type }) => String(type) === "tool_use").map(({ id, name }) => [String(id), String(name)]));
    const results = blocks.filter(({ type, tool_use_id: id }) => String(type) === "tool_result" && calls.get(String(id)) !== "ToolSearch");
    return {
      tools: items(tools).map(({ name }) => ({ name: String(name) })),
      results: results.map(({ content }) => textOf(content)),
      deferred: {
        tools: Array.from(new Set(JSON.stringify(messages).match(/mcp__toolwright__\w+/g)), (name) => ({ name })),
        ask: (name) => ({ call: { name: "ToolSearch" }, input: { query: `select:${name}`, max_results: 5 } }),
      },
    };
  },
  write(reply, { body }) {
    const block =
      "text" in reply
        ? { type: "text", text: reply.text }
        : { type: "tool_use", id: nextId("toolu"), name: reply.call.name, input: reply.input };
    const reason = "text" in reply ? "end_turn" : "tool_use";
    const message = {
      id: nextId("msg"),
      type: "message",
      role: "assistant",
      model: "scripted",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    if (lax(body).stream === undefined)
      return { type: "application/json", body: JSON.stringify({ ...message, content: [block], stop_reason: reason, stop_sequence: null }) };
    const [opened, delta] =
      "text" in reply
        ? [
            { ...block, text: "" },
            { type: "text_delta", text: reply.text },
          ]
        : [
            { ...block, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(reply.input) },
          ];
    const list = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      { type: "content_block_start", index: 0, content_block: opened },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ];
    return events(list.map((event) => [event.type, event] as const));
  },
};
