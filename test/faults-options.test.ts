import { expect, it } from "vitest";
import { readOptions } from "./faults/read-options.ts";

it("gives the help where it is asked for, with every option", () => {
  const read = readOptions(["--help"]);
  expect(read).toEqual({ help: expect.stringMatching(/^Usage: npm run test:faults -- \[options\]\n/) });
  for (const name of ["kills", "pause", "seed", "on", "doors", "trees", "agents", "soak", "help"])
    expect(read).toEqual({ help: expect.stringContaining(`\n  --${name} `) });
});

it.each([
  [["--nope"], "Unknown option '--nope'"],
  [["three"], "Unexpected argument 'three'"],
  [["--kills"], "Option '--kills <value>' argument missing"],
  [["--kills", "many"], "--kills takes a whole number from 0"],
  [["--pause", "0"], "--pause takes a number above 0"],
  [["--seed", "1.5"], "--seed takes a whole number"],
  [["--soak", "long"], "--soak takes a number of minutes"],
  [["--on", "disk"], "--on takes embedded or server"],
])("refuses %s in one sentence", (args, words) => {
  expect(readOptions(args)).toEqual({ mistake: `${words}; see npm run test:faults -- --help.` });
});

it("reads a plan for both places, or for one", () => {
  expect(readOptions(["--seed", "7"])).toEqual({
    ...{ kills: 200, pause: 1, seed: 7, minutes: 0, places: ["embedded", "server"] },
    ...{ doors: false, trees: false, agents: false },
  });
  expect(readOptions(["--kills", "3", "--on", "server", "--agents"])).toMatchObject({ kills: 3, places: ["server"], agents: true });
});
