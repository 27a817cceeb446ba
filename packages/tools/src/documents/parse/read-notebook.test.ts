import { expect, test } from "vitest";
import { makeNotebook } from "../../../test/make-notebook.ts";
import { readCells } from "./read-notebook.ts";

/** The output that a notebook shows below a cell. */
const shown = (...outputs: readonly unknown[]) => {
  const [cell] = readCells(new TextDecoder().decode(makeNotebook([{ type: "code", source: "x", outputs }])));
  return /^```python\nx\n```(?:\n\nOutput:\n```\n([\s\S]*)\n```)?$/.exec(cell?.text ?? "")?.[1];
};
const data = (forms: Readonly<Record<string, unknown>>) => ({ output_type: "display_data", metadata: {}, data: forms });
const stream = (text: string, name = "stderr") => ({ output_type: "stream", name, text: [text] });
const table = "<table><tr><th>town</th></tr><tr><td>Ulm</td></tr></table>";

test.each([
  ["HTML alone", [data({ "text/html": [table] })], "| town |\n| --- |\n| Ulm |"],
  [
    "HTML that Python names an object",
    [data({ "text/html": table, "text/plain": "<IPython.core.display.HTML object>" })],
    "| town |\n| --- |\n| Ulm |",
  ],
  ["HTML beside a text", [data({ "text/html": table, "text/plain": "town\nUlm" })], "town\nUlm"],
  ["LaTeX alone", [data({ "text/latex": ["$x^2$"] })], "$x^2$"],
  ["JSON alone", [data({ "application/json": { town: "Ulm" } })], '{\n "town": "Ulm"\n}'],
  ["an object without other forms", [data({ "text/plain": "<Figure at 0x7f>" })], "<Figure at 0x7f>"],
  ["a chart that is data alone", [data({ "application/vnd.x+json": {} })], "[Output of the kind application/vnd.x+json]"],
  ["a picture", [data({ "image/svg+xml": "<svg/>" })], "[Image]"],
  ["a line of progress", [stream("\r 10%\r 50%\r100%\n"), stream("done\n", "stdout")], "100%\n\ndone"],
  ["progress in several pieces", [stream(" 10%\r"), stream(" 50%\r"), stream("100%\n")], "100%"],
  ["progress that takes characters back", [stream("1/2\b\b\b2/2\r\nend\n")], "2/2\nend"],
  ["colours", [stream("\x1b[31mred\x1b[0m")], "red"],
])("an output is read: %s", (_, outputs, text) => expect(shown(...outputs)).toBe(text));

test("numbers that Python writes and JSON has not are no reason to refuse a notebook, and texts keep them", () => {
  const outputs =
    '[{"output_type":"display_data","data":{"text/plain":["chart \\\\\\" NaN"],"application/vnd.x+json":{"y":[NaN,-Infinity,Infinity]}}}]';
  const [cell] = readCells(`{"nbformat":4,"metadata":{},"cells":[{"cell_type":"code","source":"NaN","outputs":${outputs}}]}`);
  expect(cell?.text).toBe('```\nNaN\n```\n\nOutput:\n```\nchart \\" NaN\n```');
});

test("a notebook of format 3 is read", () => {
  const cells = [
    { cell_type: "heading", level: 2, source: ["Towns"] },
    {
      cell_type: "code",
      input: ["1+1"],
      outputs: [
        { output_type: "pyout", text: ["2"] },
        { output_type: "display_data", html: [table] },
      ],
    },
  ];
  const found = readCells(JSON.stringify({ nbformat: 3, metadata: {}, worksheets: [{ cells }] }));
  expect(found.map(({ text, headings }) => [text, headings])).toEqual([
    ["## Towns", ["Towns"]],
    ["```\n1+1\n```\n\nOutput:\n```\n2\n| town |\n| --- |\n| Ulm |\n```", ["Towns"]],
  ]);
});
