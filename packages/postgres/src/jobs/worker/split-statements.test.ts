import { expect, it } from "vitest";
import { splitStatements } from "./split-statements.ts";

it.each([
  ["two statements", "select 1; select 2;", ["select 1", "select 2"]],
  ["a semicolon in a literal", "select 'a;''b'; select 2", ["select 'a;''b'", "select 2"]],
  ["a semicolon in a name", 'select 1 as "a;b"', ['select 1 as "a;b"']],
  ["a function's body", "do $$ begin a; end $$; select 1", ["do $$ begin a; end $$", "select 1"]],
  ["a body in a body", "do $x$ do $$ a; $$; $x$; select 1", ["do $x$ do $$ a; $$; $x$", "select 1"]],
  ["comments", "select 1; -- a; b\nselect /* ; */ 2", ["select 1", "select  2"]],
  ["a parameter", "select $1; select $2", ["select $1", "select $2"]],
  ["nothing", " ; \n", []],
])("splits %s", (_, script, statements) => {
  expect(splitStatements(script)).toEqual(statements);
});
