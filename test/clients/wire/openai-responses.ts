import { events, items, type Json, lax, nextId, type ShownTool, textOf, type Wire } from "./wire.ts";

/** OpenAI's Responses API, as Codex speaks it. */
export const openAIResponses: Wire = {
  answers: (path) => path.endsWith("/responses"),
  read(body) {
    const { tools, input } = lax(body);
    const outputs = items(input).filter(({ type }) => String(type) === "function_call_output");
    return { tools: items(tools).flatMap(toolsOf), results: outputs.map(({ output }) => textOf(output)) };
  },
  write(reply) {
    const response = { id: nextId("resp"), usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
    const item =
      "text" in reply
        ? { type: "message", role: "assistant", id: nextId("msg"), content: [{ type: "output_text", text: reply.text }] }
        : {
            type: "function_call",
            id: nextId("fc"),
            call_id: nextId("call"),
            name: reply.call.name,
            ...(reply.call.namespace !== undefined && { namespace: reply.call.namespace }),
            arguments: JSON.stringify(reply.input),
          };
    return events([
      ["response.created", { type: "response.created", response: { id: response.id } }],
      ["response.output_item.done", { type: "response.output_item.done", item }],
      ["response.completed", { type: "response.completed", response }],
    ]);
  },
};

function toolsOf({ type, name, tools }: Json): readonly ShownTool[] {
  if (String(type) === "namespace") return items(tools).map((tool) => ({ name: String(tool.name), namespace: String(name) }));
  return name === undefined ? [] : [{ name: String(name) }];
}
