import { expect, test } from "vitest";
import { readResult } from "./result.ts";

const read = (params: unknown) => readResult(params, { notes: "notes" });

test("a result has its output, its notes, its files and the words beside", () => {
  const result = read({
    structuredContent: { notes: ["Cut.", 3], sum: 3 },
    content: [
      { type: "text", text: "3" },
      { type: "resource_link", uri: "artifact://art_1", name: "a.csv", mimeType: "text/csv", size: 4 },
    ],
  });
  expect(result).toEqual({
    failed: false,
    output: { notes: ["Cut.", 3], sum: 3 },
    notes: ["Cut."],
    pictures: [],
    artifacts: [{ id: "art_1", name: "a.csv", mediaType: "text/csv", size: 4 }],
    words: "3",
  });
});

test.each([undefined, null, "x", [], {}, { content: "x" }, { content: [null, 1, "x", {}] }])(
  "what is no result shows none: %j",
  (params) => {
    expect(read(params)).toEqual({ failed: true, output: undefined, notes: [], pictures: [], artifacts: [], words: "" });
  },
);

test("a picture is shown from what came with it, in a form that a browser only draws", () => {
  const image = (mimeType: string, data: string) => ({ type: "image", mimeType, data });
  const { pictures } = read({
    content: [
      image("image/png", "iVBORw0KGgo="),
      image("image/svg+xml", "PHN2Zy8+"),
      image("text/html", "PGI+"),
      image("image/png;x=https://evil.example", "AAAA"),
      image("image/png", "https://evil.example/x.png"),
      image("image/png", ""),
      { type: "image", mimeType: "image/png", data: 3 },
    ],
  });
  expect(pictures).toEqual(["data:image/png;base64,iVBORw0KGgo="]);
});

test("only an artifact of this server is a file", () => {
  const link = (uri: unknown) => ({ type: "resource_link", uri, name: "x" });
  const { artifacts } = read({ content: ["https://evil.example/x", "artifact://a/../b", "artifact://a?offset=1", 3].map(link) });
  expect(artifacts).toEqual([]);
});
