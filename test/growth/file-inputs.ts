import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { callTool, type GrowthCase } from "./growth-case.ts";
import type { ServedProduct } from "./served-product.ts";
import { parsedTexts, type Size } from "./shapes.ts";

/** Characters of the largest file, and of the largest one that is read into the knowledge: each of its passages takes milliseconds of the database. */
const largestFile = 4_000_000;
const largestDocument = 400_000;
const lines = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${write(index)}\n`).join("");
const share = (most: number, size: Size) => Math.floor((most * size) / 8);

interface FileWork {
  readonly tool: string;
  readonly shape: string;
  /** Content of `grown.txt`, and the input of the tool. */
  write(size: Size): { readonly content: string; readonly input: object };
}

const edit = (shape: string, write: FileWork["write"]): FileWork => ({ tool: "file_edit", shape, write });
const patch = (shape: string, write: (size: Size) => { readonly content: string; readonly hunks: string }): FileWork => ({
  ...{ tool: "file_patch", shape },
  write(size) {
    const { content, hunks } = write(size);
    return { content, input: { patch: `*** Begin Patch\n*** Update File: grown.txt\n${hunks}*** End Patch\n` } };
  },
});

/** What grows with a file and an input together. */
const fileWork: readonly FileWork[] = [
  edit("an absent old text of many lines", (size) => ({
    content: lines(share(20_000, size), (index) => `line ${index % 7}`),
    input: { path: "grown.txt", oldText: lines(share(10_000, size), (index) => `line ${index % 5}`), newText: "x" },
  })),
  edit("an old text that differs in its last line", (size) => ({
    content: lines(share(20_000, size), () => "x"),
    input: { path: "grown.txt", oldText: `${lines(share(10_000, size), () => "x")}y\n`, newText: "x" },
  })),
  edit("a long old text on one line", (size) => ({
    content: "ab".repeat(share(400_000, size)),
    input: { path: "grown.txt", oldText: `${"ab".repeat(share(200_000, size))}c`, newText: "x" },
  })),
  edit("many places to replace", (size) => ({
    content: "x ".repeat(share(400_000, size)),
    input: { path: "grown.txt", oldText: "x", newText: "y", replaceAll: true },
  })),
  edit("many places that are not one", (size) => ({
    content: lines(share(100_000, size), () => "x"),
    input: { path: "grown.txt", oldText: "x", newText: "y" },
  })),
  edit("old lines with other blanks", (size) => ({
    content: lines(share(20_000, size), (index) => `  line ${index}`),
    input: { path: "grown.txt", oldText: lines(share(10_000, size), (index) => `\tline ${index} `), newText: "x" },
  })),
  patch("equal anchors", (size) => ({
    content: lines(share(20_000, size), () => "x"),
    hunks: "@@ x\n-x\n+y\n".repeat(share(2_400, size)),
  })),
  patch("equal hunks in a file of equal lines", (size) => ({
    content: lines(share(20_000, size), () => "x"),
    hunks: "@@\n-x\n+y\n".repeat(share(2_400, size)),
  })),
  patch("one hunk that fits nearly everywhere", (size) => ({
    content: lines(share(40_000, size), () => "x"),
    hunks: `@@\n${" x\n".repeat(share(20_000, size))}-z\n+y\n`,
  })),
  patch("many anchors above one hunk", (size) => ({
    content: lines(share(20_000, size), () => "x"),
    hunks: `${"@@ x\n".repeat(share(10_000, size))}-x\n+y\n`,
  })),
  patch("numbered hunks", (size) => ({
    content: lines(share(40_000, size), (index) => `line ${index}`),
    hunks: Array.from({ length: share(1_200, size) }, (_, index) => `@@\n-line ${index * 2}\n+changed\n`).join(""),
  })),
  patch("numbered hunks in reverse", (size) => ({
    content: lines(share(7_000, size), (index) => `line ${index}`),
    hunks: Array.from({ length: share(7_000, size) }, (_, index) => `@@\n-line ${share(7_000, size) - index - 1}\n+changed\n`).join(""),
  })),
  {
    ...{ tool: "file_patch", shape: "many files added" },
    write: (size) => ({
      content: "",
      input: {
        patch: `*** Begin Patch\n${Array.from({ length: share(300, size) }, (_, index) => `*** Add File: added/${size}-${index}.txt\n+x\n`).join("")}*** End Patch\n`,
      },
    }),
  },
];

/** Tools that read a file, by the shapes of texts. */
const readers: readonly (readonly [tool: string, input: object, extension: string])[] = [
  ["file_read", { path: "grown.txt" }, "txt"],
  ["file_search", { type: "grep", pattern: "(a|b)+c$", path: "." }, "txt"],
  ["document_read", { path: "grown.md" }, "md"],
  ["document_read", { path: "grown.html" }, "html"],
  ["document_read", { path: "grown.csv" }, "csv"],
  ["knowledge_write", { path: "grown.md", title: "Grown" }, "md"],
  ["knowledge_write", { path: "grown.html", title: "Grown" }, "html"],
  ["knowledge_write", { path: "grown.csv", title: "Grown" }, "csv"],
];

/** Work on files of the workspace, which grow with the input. */
export function fileCases(product: ServedProduct): readonly GrowthCase[] {
  const place = async (name: string, content: string) => {
    await mkdir(dirname(product.file(name)), { recursive: true });
    await writeFile(product.file(name), content);
  };
  return [
    ...fileWork.map(({ tool, shape, write }) => ({
      ...{ target: tool, shape },
      async at(size: Size) {
        const { content, input } = write(size);
        await place("grown.txt", content);
        return callTool(tool, input);
      },
    })),
    ...readers.flatMap(([tool, input, extension]) =>
      parsedTexts.map(({ name, write }) => ({
        ...{ target: tool, shape: `a file .${extension}: ${name}` },
        async at(size: Size) {
          const isDocument = tool === "knowledge_write";
          const content = write(share(isDocument ? largestDocument : largestFile, size));
          // What a document has already is not read again.
          await place(`grown.${extension}`, isDocument ? `${content}\n${randomUUID()}\n` : content);
          return callTool(tool, input);
        },
      })),
    ),
  ];
}
