import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Attachment, type CallResult, createEngine, notedOutput, type Principal } from "@toolwright/engine";
import { createMemoryArtifactStore } from "@toolwright/engine/ports";
import { createHostDriver, filesCapability } from "@toolwright/sandbox";
import { builtinPermissions, documentTools } from "@toolwright/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDocx } from "../../../packages/tools/test/make-docx.ts";
import { makeNotebook } from "../../../packages/tools/test/make-notebook.ts";
import { makePdf } from "../../../packages/tools/test/make-pdf.ts";

const workspace = mkdtempSync(join(tmpdir(), "toolwright-documents-"));
const driver = createHostDriver();
const artifacts = createMemoryArtifactStore();
const engine = createEngine({
  tools: documentTools,
  capabilities: [filesCapability({ workspaceOf: () => join(workspace, "ours"), driver })],
  artifacts,
});
const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "cli" };
const put = (path: string, content: string | Uint8Array) => writeFileSync(join(workspace, "ours", path), content);

interface Reading {
  readonly pages?: string;
  readonly cells?: string;
  readonly offset?: number;
  readonly [member: string]: unknown;
}

const read = (input: Reading, attachments: readonly Attachment[] = []) =>
  engine.scope(principal, { session: "s" }).invokeNamed("document_read", input, { attachments });

async function done(input: Reading, attachments?: readonly Attachment[]) {
  const result = await read(input, attachments);
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  return { ...result, output: result.output as { parts: { page: number | null; text: string }[]; next: Reading | null } };
}

const errorOf = (result: CallResult) => (result.status === "failed" ? (result.error.toolCode ?? result.error.code) : result.status);

async function keepArtifact(name: string, bytes: Uint8Array, tenant = "acme"): Promise<string> {
  const writer = await artifacts.create({ tenant, session: "s", callId: "c" }, { name, mediaType: "application/octet-stream" });
  await writer.write(bytes);
  return (await writer.finish()).id;
}

beforeAll(() => {
  mkdirSync(join(workspace, "ours"));
  writeFileSync(join(workspace, "secret.txt"), "secret");
  symlinkSync("../secret.txt", join(workspace, "ours", "link.txt"));
});
afterAll(async () => {
  await engine.close();
  await driver.close();
  rmSync(workspace, { recursive: true, force: true });
});

describe("document_read", () => {
  test("reads a PDF to its end by passing on what next names, each page with its number", async () => {
    const pages = Array.from({ length: 30 }, (_, index) => ({
      lines: [`Page ${index + 1}`, ...Array.from({ length: 4 }, (_, line) => `line ${line} says ${"word ".repeat(6)}${index * 7}`)],
    }));
    put("book.pdf", makePdf(pages, { title: "A book" }));
    const told: [number | null, string][] = [];
    let next: Reading | null = {};
    let answers = 0;
    for (; next !== null; answers += 1) {
      const { output } = await done({ path: "book.pdf", maxChars: 1_500, ...next });
      told.push(...output.parts.map(({ page, text }): [number | null, string] => [page, text]));
      next = output.next;
    }
    expect(told.map(([page]) => page)).toEqual(pages.map((_, index) => index + 1));
    expect(told[21]?.[1]).toMatch(/^Page 22\nline 0 says word .* 147\nline 3 .* 147$/s);
    expect(answers).toBe(4);
  });

  test("tells a model the title, the numbers and where to go on, inside a boundary: the words are a stranger's", async () => {
    const result = await done({ path: "book.pdf", pages: "2-4", maxChars: 400 });
    const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    expect(text).toMatch(
      /A book \(pdf, 30 pages\)\n\n\[page 2\]\nPage 2\n[^[]*\n\n\[page 3\]\nPage 3\n[^[]*\n\n\[There is more: go on with pages "4", offset 0\.\]/,
    );
    expect(result.foreign).toMatchObject({ kind: "document", places: ["book.pdf"] });
    expect(JSON.stringify(notedOutput(result as never, undefined))).toContain(result.foreign?.boundary);
  });

  test("names scanned pages, keeps their pictures as artifacts and shows them", async () => {
    const picture = { width: 64, height: 64, bits: 8 as const, data: new Uint8Array(4_096).fill(99) };
    put("scan.pdf", makePdf([{ lines: ["Cover"] }, { picture }]));
    const { output, content, notes } = await done({ path: "scan.pdf", images: true });
    expect(output).toMatchObject({
      parts: [{ page: 1, text: "Cover" }],
      pagesWithoutText: [2],
      images: [{ page: 2, mediaType: "image/png" }],
    });
    const [image] = (output as unknown as { images: { artifact: string }[] }).images;
    const kept = await artifacts.read("acme", image?.artifact ?? "");
    expect(content.find(({ type }) => type === "image")).toMatchObject({ data: Buffer.from(kept.bytes).toString("base64") });
    expect(notes).toContainEqual(expect.stringContaining("pictures are content blocks"));
  });

  test("reads attachments: artifacts of the tenant by their ids, and files that came with the call by their names", async () => {
    const letter = makeDocx([{ heading: "Letter", level: 1 }, "Dear all"]);
    const kept = await done({ attachment: await keepArtifact("letter.docx", letter) });
    expect(kept.output).toMatchObject({ kind: "docx", title: "Letter", parts: [{ page: null, text: "# Letter\n\nDear all" }], next: null });
    const cells = makeNotebook([{ type: "code", source: "1 + 1" }]);
    const attachment: Attachment = { name: "n.ipynb", mediaType: "application/json", bytes: async () => cells };
    expect((await done({ attachment: "n.ipynb" }, [attachment])).output.parts).toEqual([
      { page: null, cell: 1, text: "```python\n1 + 1\n```" },
    ]);
    expect(errorOf(await read({ attachment: await keepArtifact("theirs.docx", letter, "other") }))).toBe("artifact_not_found");
  });

  test("refuses with a code and a sentence, whatever the file is", async () => {
    put("locked.pdf", makePdf([{}], { encrypted: true }));
    put("empty.pdf", "");
    put("large.pdf", "%PDF-");
    truncateSync(join(workspace, "ours", "large.pdf"), 60_000_000);
    const refused = async (input: Reading) => errorOf(await read(input));
    expect(await refused({ path: "locked.pdf" })).toBe("document_unreadable");
    expect(await refused({ path: "empty.pdf" })).toBe("document_unreadable");
    expect(await refused({ path: "large.pdf" })).toBe("document_unreadable");
    expect(await refused({ path: "book.pdf", pages: "31" })).toBe("document_unreadable");
    expect(await refused({ path: "book.pdf", pages: "first" })).toBe("invalid_input");
    expect(await refused({ path: "gone.pdf" })).toBe("file_not_found");
    expect(await refused({ path: "../secret.txt" })).toBe("denied");
    expect(await refused({ path: "link.txt" })).toBe("path_refused");
    expect(await refused({})).toBe("which_document");
    expect(await refused({ path: "a", attachment: "b" })).toBe("which_document");
  });
});
