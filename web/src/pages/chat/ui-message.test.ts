import { describe, expect, it } from "vitest";
import { addPart, nothingShown, type ShownTurn } from "./ui-message.ts";

type Chunk = Readonly<Record<string, unknown>>;

/** The turn after these parts, each a list of chunks. */
const shown = (...parts: readonly (readonly Chunk[])[]): ShownTurn =>
  parts.reduce((turn, chunks, index) => addPart(turn, { position: index + 1, chunks: chunks as never }), nothingShown);

const begin = { type: "start-step" };
const end = { type: "finish-step" };
const reset = { type: "reset-step" };
const text = (words: string, id = "1") => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: words },
];
const call = { type: "tool-input-available", toolCallId: "c", toolName: "exec", title: "Run a command", input: { command: "ls" } };
const output = (result: object, more: object = {}) => ({ type: "tool-output-available", toolCallId: "c", output: result, ...more });
const done = { status: "done", callId: "call_1" };

describe("what people see of a turn", () => {
  it("has each text in its step, where a model gives the same id again", () => {
    const { steps } = shown([begin, ...text("One")], [{ type: "text-delta", id: "1", delta: " more" }, end, begin, ...text("Two")]);
    expect(steps).toEqual([[{ kind: "text", id: "1", text: "One more" }], [{ kind: "text", id: "1", text: "Two" }]]);
  });

  it("says that its model is waited for, until something comes", () => {
    const waiting = [begin, { type: "data-model-wait", data: { message: "The model is busy." } }];
    expect(shown(waiting).wait).toBe("The model is busy.");
    expect(shown(waiting, [reset]).wait).toBeUndefined();
    expect(shown(waiting, [reset], [begin, ...text("One")])).not.toHaveProperty("wait");
  });

  it("has a call from its name to its result", () => {
    const started = [begin, { type: "tool-input-start", toolCallId: "c", toolName: "exec" }];
    expect(shown(started).steps).toEqual([[{ kind: "call", id: "c", tool: "exec" }]]);
    const running = output({ status: "running", text: "a.txt" }, { preliminary: true });
    const made = shown(started, [call], [running], [output(done)]);
    expect(made.steps).toEqual([
      [{ kind: "call", id: "c", tool: "exec", title: call.title, input: call.input, progress: "a.txt", result: done }],
    ]);
  });

  it("has what a call waits for, and its result, which comes in a later part", () => {
    const asked = shown([begin, call, { type: "tool-approval-request", toolCallId: "c", approvalId: "apr_1" }, end]);
    expect(asked.steps).toMatchObject([[{ approval: "apr_1" }]]);
    expect(addPart(asked, { position: 2, chunks: [output(done)] as never }).steps).toMatchObject([[{ approval: "apr_1", result: done }]]);
  });

  it("has the turn of the sub-agent that a call began, also where it is told of before the call", () => {
    const began = { type: "data-sub-agent", id: "trn_2", data: { toolCallId: "c", turn: "trn_2" } };
    for (const chunks of [
      [begin, call, end, begin, call, began],
      [begin, call, end, begin, began, call],
    ])
      expect(shown(chunks).steps).toEqual([
        [{ kind: "call", id: "c", tool: "exec", title: call.title, input: call.input }],
        [{ kind: "call", id: "c", tool: "exec", title: call.title, input: call.input, turn: "trn_2" }],
      ]);
  });

  it("has the error of a call that never came to the gate", () => {
    expect(shown([begin, call, { type: "tool-output-error", toolCallId: "c", errorText: "No." }]).steps).toMatchObject([
      [{ error: "No." }],
    ]);
  });

  it("drops the step that is under way, and what came of calls since the last one ended", () => {
    const before = [begin, ...text("One"), call, end];
    expect(shown(before, [begin, ...text("Half")], [reset, begin, ...text("Whole")]).steps).toMatchObject([
      [{ text: "One" }, { tool: "exec" }],
      [{ text: "Whole" }],
    ]);
    const again = shown(before, [output({ status: "failed" })], [reset, output(done), end]);
    expect(again.steps).toMatchObject([[{ text: "One" }, { result: done }]]);
  });

  it("keeps what came of a call that waited, when the step after it begins anew", () => {
    const waited = [begin, call, { type: "tool-approval-request", toolCallId: "c", approvalId: "apr_1" }, end];
    const { steps } = shown(waited, [output(done)], [begin, ...text("Half")], [reset, begin, ...text("Whole"), end]);
    expect(steps).toMatchObject([[{ result: done }], [{ text: "Whole" }]]);
  });

  it("holds each part once", () => {
    const turn = shown([begin, ...text("One")]);
    expect(addPart(turn, { position: 1, chunks: text("One") as never })).toBe(turn);
  });

  it("says that it is over, and why it failed", () => {
    expect(shown([begin, ...text("One")]).isOver).toBe(false);
    expect(shown([{ type: "error", errorText: "The model is away." }, { type: "finish" }])).toMatchObject({
      isOver: true,
      error: "The model is away.",
    });
  });

  it("passes over what it does not know", () => {
    expect(shown([begin, { type: "data-new", data: 1 }, output(done), { type: "source-url", url: "https://example.com" }]).steps).toEqual([
      [],
    ]);
  });
});
