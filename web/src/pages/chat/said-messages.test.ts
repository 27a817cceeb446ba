import { describe, expect, it } from "vitest";
import { notShown, saidByTurn, toQueued } from "./said-messages.ts";

const notes = {
  ...{ type: "file", data: "artifact:art_1", filename: "notes.txt", mediaType: "text/plain" },
  providerOptions: { toolwright: { size: 3 } },
};
const files = [{ id: "art_1", name: "notes.txt", mediaType: "text/plain", size: 3 }];
const messages = [
  { turn: "a", message: { role: "user", content: "One" } },
  { turn: "a", message: { role: "assistant", content: [{ type: "text", text: "Yes" }] } },
  { turn: "a", message: { role: "tool", content: [] } },
  { turn: "a", message: { role: "user", content: [{ type: "text", text: "Two" }, { type: "image" }, notes] } },
  { turn: "b", message: { role: "user", content: "Three" } },
].map(({ turn, message }, index) => ({ sequence: index + 1, at: 0, turn, message: message as never }));
const said = saidByTurn(messages);

describe("what people said", () => {
  it("stands in its turn, after the answers that came before it", () => {
    expect([...said]).toEqual([
      [
        "a",
        [
          { sequence: 1, text: "One", after: 0, files: [] },
          { sequence: 4, text: "Two\n[image]", after: 1, files },
        ],
      ],
      ["b", [{ sequence: 5, text: "Three", after: 0, files: [] }]],
    ]);
  });

  it("is shown as sent until the conversation has it", () => {
    const sent = (turn: string, place: number) => ({ text: "x", turn, place, isQueued: true });
    const all = [sent("a", 1), sent("a", 2), sent("c", 0)];
    expect(notShown(all, { said, queued: [] })).toEqual([sent("a", 2), sent("c", 0)]);
    const queued = toQueued([{ id: "1", turn: "a", message: { role: "user", content: "x" } }]);
    expect(queued).toEqual([{ id: "1", turn: "a", text: "x", files: [] }]);
    expect(notShown(all, { said, queued })).toEqual([sent("c", 0)]);
  });
});
