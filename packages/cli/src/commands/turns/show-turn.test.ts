import { describe, expect, it } from "vitest";
import { ChunkPrinter } from "./show-turn.ts";

function print(
  ...chunks: readonly (
    | string
    | { readonly type: string; readonly delta?: string; readonly toolCallId?: string; readonly data?: { readonly message: string } }
  )[]
) {
  const shown = { out: "", err: "" };
  const printer = new ChunkPrinter({
    out: (text) => {
      shown.out += text;
    },
    err: (text) => {
      shown.err += text;
    },
  });
  for (const chunk of chunks) printer.print(typeof chunk === "string" ? { type: "text-delta", delta: chunk } : chunk);
  printer.end();
  return shown;
}

const reset = { type: "reset-step" };
const finish = { type: "finish-step" };
const end = { type: "text-end" };

describe("a turn in a terminal", () => {
  it.each([
    ["goes on where a step that is sent anew says more", ["Hel", reset, "Hello", end, finish], "Hello\n"],
    ["says nothing twice where a step is sent anew in pieces", ["Hel", reset, "H", "ello", " you", end], "Hello you\n"],
    ["says nothing twice where a step is sent anew twice", ["Hel", reset, "Hello", reset, "Hello you", end], "Hello you\n"],
    ["says nothing twice where it is sent anew in the middle of that", ["Hello", reset, "He", reset, "Hello you", end], "Hello you\n"],
    ["begins a line where a step says something else", ["Half", reset, "At last.", end], "Half\nAt last.\n"],
    ["says in the next step what it said in the one before", ["Yes", end, finish, "Yes", end, finish], "Yes\nYes\n"],
  ])("%s", (_, chunks, said) => {
    expect(print(...chunks).out).toBe(said);
  });

  it("says that a model is waited for", () => {
    expect(print({ type: "data-model-wait", data: { message: "The model is busy." } })).toEqual({ out: "", err: "· The model is busy.\n" });
  });

  it("names a call once", () => {
    const made = { type: "tool-input-available", toolName: "note", toolCallId: "1", input: {} };
    expect(print(made, reset, made).err).toBe("· note {}\n");
  });
});
