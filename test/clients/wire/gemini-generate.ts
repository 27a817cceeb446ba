import { events, items, lax, nextId, textOf, type Wire } from "./wire.ts";

/** Google's generateContent, as Gemini CLI speaks it. */
export const geminiGenerate: Wire = {
  answers: (path) => /:(stream)?[gG]enerateContent$/.test(path),
  read(body) {
    const { tools, contents } = lax(body);
    const declared = items(tools).flatMap(({ functionDeclarations }) => items(functionDeclarations));
    const parts = items(contents).flatMap((content) => items(content.parts));
    const responses = parts.filter(({ functionResponse }) => functionResponse !== undefined);
    return {
      tools: declared.map(({ name }) => ({ name: String(name) })),
      results: responses.map(({ functionResponse }) => textOf(lax(functionResponse).response)),
    };
  },
  write(reply, { path }) {
    const part =
      "text" in reply ? { text: reply.text } : { functionCall: { id: nextId("call"), name: reply.call.name, args: reply.input } };
    const answer = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: "scripted",
    };
    if (!path.includes(":stream")) return { type: "application/json", body: JSON.stringify(answer) };
    return events([[undefined, answer]]);
  },
};
