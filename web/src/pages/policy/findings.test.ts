import { expect, test } from "vitest";
import { RequestError } from "../../api/client.ts";
import { readText, writeText } from "../../editor/document-text.ts";
import { toDraft } from "./draft.ts";
import { marksOfLint, marksOfRefusal, partsOf } from "./findings.ts";

test.each([
  ["", []],
  ["tools.deny[1]", ["tools", "deny", 1]],
  ["agents[0].commands.rules[2].pattern", ["agents", 0, "commands", "rules", 2, "pattern"]],
  ["agents[1].rates.group:a.b", ["agents", 1, "rates", "group:a.b"]],
])("the path %j has its parts", (path, parts) => {
  expect(partsOf(path)).toEqual(parts);
});

const text = "tools:\n  deny: [a]\nagents:\n  - id: x\n    rates:\n      act: 1\n";
const marked = (marks: readonly { readonly from: number; readonly to: number }[] | undefined) =>
  marks?.map(({ from, to }) => text.slice(from, to));

test("what the server says stands where the text says it", () => {
  const read = readText(text);
  expect(marked(marksOfLint([{ level: "warning", document: 1, path: ["rates", "act"], message: "" }], read))).toEqual(["act: 1"]);
  const problems = [
    { path: "tools.deny[0]", text: "" },
    { path: "agents[0].rates.act", text: "" },
  ];
  const refusal = new RequestError("policy_invalid", "It is not valid.", { details: { problems } });
  expect(marked(marksOfRefusal(refusal, read))).toEqual(["a]", "act: 1"]);
  expect(marksOfRefusal(new RequestError("connection_failed", ""), read)).toBeUndefined();
});

test("a draft is what differs from what is in force, and keeps the revision that it began with", () => {
  const current = { revision: 3, document: { tools: { deny: ["a"] } } };
  expect(toDraft("tools: {}", undefined, current)).toEqual({ read: 3, text: "tools: {}" });
  expect(toDraft(writeText(current.document), { read: 3, text: "x" }, current)).toBeUndefined();
  expect(toDraft(writeText(current.document), { read: 2, text: "x" }, current)).toMatchObject({ read: 2 });
});
