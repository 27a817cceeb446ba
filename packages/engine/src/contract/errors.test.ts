import { expect, test } from "vitest";
import { ToolwrightError } from "./errors.ts";

test("a message that quotes a long text keeps its beginning and what to do, says what it leaves out, and cuts no character in half", () => {
  const { message } = new ToolwrightError("internal", `No file "${"😀".repeat(100_000)}" is there. List the folder.`);
  expect(message.length).toBeLessThan(20_100);
  expect(message).toMatch(/^No file "😀.* \[\d+ characters are left out here\] .*😀" is there. List the folder\.$/u);
  expect(message.isWellFormed()).toBe(true);
});

test("a message of an ordinary length stays as it is", () => {
  expect(new ToolwrightError("internal", "x".repeat(20_000)).message).toBe("x".repeat(20_000));
});
