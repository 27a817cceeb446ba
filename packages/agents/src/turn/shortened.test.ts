import type { ModelMessage } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginOfWhole, largeResults, lastQuestion, type Shortened, shorten, whole } from "./shortened.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });
const says = (text: string): ModelMessage => ({ role: "assistant", content: [{ type: "text", text }] });
/** A step whose calls give texts of these lengths. */
function step(name: string, sizes: readonly number[]): readonly ModelMessage[] {
  const ids = sizes.map((size, index) => [`${name}_${index}`, size] as const);
  return [
    { role: "assistant", content: ids.map(([toolCallId]) => ({ type: "tool-call", toolCallId, toolName: "book", input: {} })) },
    {
      role: "tool",
      content: ids.map(([toolCallId, size]) => ({
        ...{ type: "tool-result", toolCallId, toolName: "book" },
        output: { type: "text", value: "x".repeat(size) },
      })),
    },
  ];
}

const idsOf = (message: ModelMessage | undefined, type: "tool-call" | "tool-result") =>
  typeof message?.content === "string"
    ? []
    : (message?.content ?? []).flatMap((part) => (part.type === type && "toolCallId" in part ? [part.toolCallId] : []));

/** Each call has its result in the message after it, and each result its call in the one before. */
function expectPairs(messages: readonly ModelMessage[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") expect(idsOf(messages[index + 1], "tool-result")).toEqual(idsOf(message, "tool-call"));
    if (message.role === "tool") expect(idsOf(messages[index - 1], "tool-call")).toEqual(idsOf(message, "tool-result"));
  }
}

/** As a turn context shortens it: results first, then all before the last steps. */
function shortenBoth(conversation: readonly ModelMessage[], before: Shortened): Shortened {
  const lines = largeResults(conversation, before).map(({ message, part }) => ({ message, part, line: `${message} ${part}` }));
  const until = beginOfWhole(conversation);
  if (until <= before.until) return { ...before, lines: [...before.lines, ...lines] };
  return { until, head: [user("Summary."), ...lastQuestion(conversation, until)], lines };
}

const turns = fc.array(
  fc.record({
    steps: fc.array(fc.array(fc.constantFrom(1, 9_000), { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
    answers: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

const toConversation = (given: typeof turns extends fc.Arbitrary<infer Value> ? Value : never) =>
  given.flatMap(({ steps, answers }, turn) => [
    user(`Question ${turn}`),
    ...steps.flatMap((sizes, index) => step(`${turn}_${index}`, sizes)),
    ...(answers ? [says(`Answer ${turn}`)] : []),
  ]);

describe("a conversation that is shortened", () => {
  it("parts no call from its result, begins with a person, and begins the same whatever is said later", () => {
    fc.assert(
      fc.property(turns, fc.nat(), fc.nat(), (given, one, other) => {
        const conversation = toConversation(given);
        const cuts = [one % (conversation.length + 1), other % (conversation.length + 1)].toSorted((a, b) => a - b);
        let shortened = whole;
        for (const cut of cuts) {
          // As it stands before a request: after results or a person.
          const end = conversation.slice(0, cut).findLastIndex(({ role }) => role !== "assistant") + 1;
          shortened = shortenBoth(conversation.slice(0, end), shortened);
          const sent = shorten(conversation.slice(0, end), shortened);
          const later = shorten(conversation, shortened);
          expectPairs(later);
          expect(later.slice(0, sent.length)).toEqual(sent);
          if (later.length > 0) expect(later[0]?.role).toBe("user");
        }
      }),
    );
  });

  it("has a line for large results before the last three steps, and for no others", () => {
    const steps = [step("a", [9_000, 10]), step("b", [9_000]), step("c", [10]), step("d", [9_000])];
    const conversation = [user("Go."), ...steps.flat()];
    const found = largeResults(conversation, whole);
    expect(found.map(({ message, part, tool, text }) => [message, part, tool, text.length])).toEqual([[2, 0, "book", 9_000]]);
    const lines = [{ message: 2, part: 0, line: "Moved." }];
    expect(largeResults(conversation, { ...whole, lines })).toEqual([]);
    expect(largeResults([...conversation, ...step("e", [1])], { ...whole, lines }).map(({ message }) => message)).toEqual([4]);
    const sent = shorten(conversation, { ...whole, lines });
    expect(sent[2]).toMatchObject({ content: [{ output: { type: "text", value: "Moved." } }, { output: { value: "x".repeat(10) } }] });
    expect(sent.filter((_, index) => index !== 2)).toEqual(conversation.filter((_, index) => index !== 2));
  });

  it.each([
    [9_000, true],
    [10, false],
  ])("leaves files of old results out, whose text of %i characters becomes an artifact: %s", (size, isLong) => {
    const [asks, gives] = step("a", [1]);
    const text = "x".repeat(size);
    const file = { type: "file", data: { type: "data", data: "AAAA" }, mediaType: "image/png" };
    const output = { type: "content" as const, value: [{ type: "text" as const, text }, file] };
    const content = ((gives?.content ?? []) as { output: unknown }[]).map((part) => ({ ...part, output }));
    const conversation = [user("Go."), asks, { role: "tool", content }, ...step("b", [1]), ...step("c", [1]), ...step("d", [1])];
    expect(largeResults(conversation as ModelMessage[], whole)).toEqual([{ message: 2, part: 0, tool: "book", text, isLong, files: 1 }]);
  });

  it("repeats what was asked where only steps are left", () => {
    const conversation = [user("Old."), says("Yes."), user("Go."), ...["a", "b", "c", "d"].flatMap((name) => step(name, [1]))];
    const until = beginOfWhole(conversation);
    expect(until).toBe(5);
    expect(lastQuestion(conversation, until)).toEqual([user("Go.")]);
    expect(lastQuestion([...conversation, user("And?")], until)).toEqual([]);
    expect(beginOfWhole([user("Go."), says("Yes.")])).toBe(0);
  });
});
