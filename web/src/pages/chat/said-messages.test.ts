import { describe, expect, it } from "vitest";
import { notShown, saidByTurn } from "./said-messages.ts";

const messages = [
  { turn: "a", message: { role: "user", content: "One" } },
  { turn: "a", message: { role: "assistant", content: [{ type: "text", text: "Yes" }] } },
  { turn: "a", message: { role: "tool", content: [] } },
  { turn: "a", message: { role: "user", content: [{ type: "text", text: "Two" }, { type: "file" }] } },
  { turn: "b", message: { role: "user", content: "Three" } },
].map(({ turn, message }, index) => ({ sequence: index + 1, at: 0, turn, message: message as never }));
const said = saidByTurn(messages);

describe("what people said", () => {
  it("stands in its turn, after the answers that came before it", () => {
    expect([...said]).toEqual([
      [
        "a",
        [
          { sequence: 1, text: "One", after: 0 },
          { sequence: 4, text: "Two\n[file]", after: 1 },
        ],
      ],
      ["b", [{ sequence: 5, text: "Three", after: 0 }]],
    ]);
  });

  it("is shown as sent until the conversation has it", () => {
    const sent = (turn: string, place: number) => ({ text: "x", turn, place, isQueued: true });
    expect(notShown([sent("a", 1), sent("a", 2), sent("c", 0)], said)).toEqual([sent("a", 2), sent("c", 0)]);
  });
});
