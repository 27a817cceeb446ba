import { expect, test } from "vitest";
import { inRegularForm } from "./define-earlier-forms.ts";

test.each([
  ["usage --limits --json", "usage limits --json"],
  ["usage --limits --models", "usage limits --models"],
  ["usage --models --by agent --agent helper", "usage models --by agent --agent helper"],
  ["usage --by model --since 30d", "usage models --by model --since 30d"],
  ["usage --by=model", "usage models --by=model"],
])("%s of an earlier version is read as %s", (before, now) => {
  expect(inRegularForm(before.split(" "))).toEqual(now.split(" "));
});

test.each(["usage", "usage --by tool --tool model", "usage --models", "usage models --by model", "usage limits", "call usage --limits"])(
  "%s stays as it is",
  (line) => {
    expect(inRegularForm(line.split(" "))).toEqual(line.split(" "));
  },
);
