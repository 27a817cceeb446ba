import { expect, it } from "vitest";
import { readAsk } from "./read-ask.ts";

it.each([
  { name: "nothing", ask: undefined, env: undefined, is: "client" },
  { name: "an empty variable", ask: undefined, env: "", is: "client" },
  { name: "the variable", ask: undefined, env: "never", is: "never" },
  { name: "the option", ask: "never", env: undefined, is: "never" },
  { name: "the option over the variable", ask: "client", env: "never", is: "client" },
])("$name says whether clients are asked", ({ ask, env, is }) => {
  expect(readAsk(ask === undefined ? {} : { ask }, { env: { TOOLWRIGHT_ASK: env } })).toBe(is);
});

it.each([
  { ask: "no", env: undefined, from: "--ask" },
  { ask: "", env: undefined, from: "--ask" },
  { ask: "Never", env: undefined, from: "--ask" },
  { ask: undefined, env: "off", from: "TOOLWRIGHT_ASK" },
])("another word is refused with where it stands: $ask $env", ({ ask, env, from }) => {
  expect(() => readAsk(ask === undefined ? {} : { ask }, { env: { TOOLWRIGHT_ASK: env } })).toThrow(
    new RegExp(`^${from} is .*client or to never`),
  );
});
