import { expect, test } from "vitest";
import { answersOf, findingsByLayer, type Why } from "./answers-of.ts";

const finding = { layer: "tool", rule: "r", reason: "Because." } as const;
const decided = (effect: "allow" | "ask" | "deny", more: object = {}) =>
  ({ tool: "t", visible: true, decision: { ...finding, effect, revision: "1", findings: [] }, text: "", ...more }) as unknown as Why;
const change = { changes: [{ kind: "policy", text: "Allow it." }] };

test.each([
  { name: "a call that runs", why: decided("allow"), answers: ["Yes", "Yes", "Nothing needs to"] },
  { name: "a call that asks", why: decided("ask", change), answers: ["Yes", "No, it asks a person", "Yes"] },
  { name: "a call that is denied for good", why: decided("deny"), answers: ["Yes", "No", "Not from here"] },
  {
    name: "a call with something in its way",
    why: decided("allow", { obstacles: ["No secret."], ...change }),
    answers: ["Yes", "No", "Yes"],
  },
  {
    name: "a tool of which the input decides",
    why: decided("allow", { dependsOn: ["each path"] }),
    answers: ["Yes", "Yes, where the input allows it", "Nothing needs to"],
  },
  {
    name: "an input that does not fit",
    why: decided("allow", { decision: undefined, misfit: "No.", ...change }),
    answers: ["Yes", "No, the input does not fit", "Yes"],
  },
  { name: "a hidden tool", why: decided("allow", { visible: false, decision: undefined, ...change }), answers: ["No", "No", "Yes"] },
])("$name", ({ why, answers }) => {
  const { visible, allowed, changeable } = answersOf(why);
  expect([visible, allowed, changeable]).toEqual(answers);
});

test("findings stand in the order of the layers, each once", () => {
  const of = (layer: string, rule: string) => ({ ...finding, effect: "ask", layer, rule });
  const findings = [of("resource", "a"), of("tool", "b"), of("resource", "a"), of("command", "c")];
  const told = findingsByLayer(decided("ask", { decision: { ...of("tool", "b"), revision: "1", findings } }).decision);
  expect(told.map(({ layer, findings: each }) => [layer, each.map(({ rule }) => rule)])).toEqual([
    ["tool", ["b"]],
    ["command", ["c"]],
    ["resource", ["a"]],
  ]);
});
