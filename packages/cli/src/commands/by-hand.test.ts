import { expect, test } from "vitest";
import { createTestIo } from "../../test/test-io.ts";
import { commands } from "../generated/operation-commands.ts";
import { listCommands } from "../program.ts";
import { byHand } from "./by-hand.ts";

test("a command is made of an operation, or there is a reason why it is written by hand", () => {
  const made = new Set(commands.map(({ words }) => words.join(" ")));
  const all = listCommands(createTestIo("/").io).map(({ words }) => words.join(" "));
  expect(all.filter((command) => !made.has(command)).toSorted()).toEqual(Object.keys(byHand).toSorted());
});
