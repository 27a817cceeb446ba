import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeToolwright } from "@toolwright/server/compose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cliScope } from "../../../packages/cli/src/caller.ts";
import { exitCodes } from "../../../packages/cli/src/exit-code.ts";
import { readSettings } from "../../../packages/cli/src/settings.ts";
import { createTestIo, runIn } from "../../../packages/cli/test/test-io.ts";
import { makeDocx } from "../../../packages/tools/test/make-docx.ts";
import { makeNotebook } from "../../../packages/tools/test/make-notebook.ts";
import { makePdf } from "../../../packages/tools/test/make-pdf.ts";

/** What a page of the manual is about, among pages that say much the same. */
const machines = ["lathe", "mill", "drill", "press", "saw", "grinder", "crane", "pump", "boiler", "fan"] as const;
const places = ["north hall", "south hall", "cellar", "roof", "yard", "tower", "dock", "annex", "gallery", "vault"] as const;
const works = ["oiled", "inspected", "replaced"] as const;

const factOf = (page: number) => {
  const [machine, place, work] = [machines[page % 10], places[Math.floor(page / 10) % 10], works[Math.floor(page / 100)]];
  return { machine, place, work, text: `The ${machine} in the ${place} is ${work} every ${page + 7} days, by rule R-${1_000 + page}.` };
};
const filler = "All machines of the plant are kept by the people of the shift. Each of them signs the book when the work is done.";
const manual = () =>
  makePdf(
    Array.from({ length: 300 }, (_, page) => ({
      lines: [`Maintenance, sheet ${page + 1}`, filler, factOf(page).text, "", filler, filler],
    })),
  );
const contract = () =>
  makeDocx([
    { heading: "Contract", level: 1 },
    "Between the plant and its customers.",
    { heading: "Payment", level: 2 },
    "Invoices are due within fourteen days of delivery.",
    { heading: "Warranty", level: 2 },
    "Spare parts carry a guarantee of two years from purchase.",
    { heading: "Termination", level: 2 },
    "Either party may cancel with a notice period of three months.",
  ]);
const notebook = () =>
  makeNotebook([
    { type: "markdown", source: "# Energy\n\nReadings of the meters." },
    { type: "code", source: "kilowatts = load('meters.csv')\nprint(kilowatts.mean())" },
    { type: "markdown", source: "Consumption peaks on Wednesday afternoons." },
    { type: "markdown", source: "Solar panels deliver a third of the electricity in summer." },
    { type: "markdown", source: "The forecast for winter assumes heating by district steam." },
  ]);

/** Questions, each with the place that its citation must name. */
const questions: readonly (readonly [question: string, citation: RegExp])[] = [
  ...[0, 17, 42, 68, 99, 123, 150, 201, 233, 250, 276, 299].map((page) => {
    const { machine, place, work } = factOf(page);
    return [`How often is the ${machine} in the ${place} ${work}?`, new RegExp(`^Manual\\.pdf, page ${page + 1}(?!\\d)`)] as const;
  }),
  ["What does rule R-1077 say?", /^Manual\.pdf, page 78(?!\d)/],
  ["R-1288", /^Manual\.pdf, page 289(?!\d)/],
  ["When are invoices due?", /^terms\/Contract\.docx \(.*Payment\)$/],
  ["How long is the guarantee on spare parts?", /^terms\/Contract\.docx \(.*Warranty\)$/],
  ["What is the notice period to cancel?", /^terms\/Contract\.docx \(.*Termination\)$/],
  ["When does consumption peak?", /^Energy\.ipynb, cell 3(?!\d)/],
  ["How much electricity do solar panels deliver?", /^Energy\.ipynb, cell 4(?!\d)/],
  ["What heating does the winter forecast assume?", /^Energy\.ipynb, cell 5(?!\d)/],
];

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly version: number;
}

describe("toolwright knowledge", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "toolwright-knowledge-"));
    mkdirSync(join(root, "docs", "terms"), { recursive: true });
    writeFileSync(join(root, "docs", "Manual.pdf"), manual());
    writeFileSync(join(root, "docs", "terms", "Contract.docx"), contract());
    writeFileSync(join(root, "docs", "Energy.ipynb"), notebook());
    writeFileSync(join(root, "docs", "logo.png"), "no document");
    writeFileSync(join(root, "docs", ".hidden.md"), "hidden");
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const run = (...argv: readonly string[]) => runIn(root, ["knowledge", ...argv]);
  const list = async (): Promise<readonly Listed[]> => JSON.parse((await run("list", "--json")).out);
  /** The citations that each question finds, by one engine: to put it together takes longer than to search. */
  const searchAll = async (asked: readonly string[]) => {
    const { io } = createTestIo(root);
    const toolwright = await composeToolwright(readSettings({}, io), io, { callsNothing: true });
    try {
      const { principal } = await cliScope(toolwright, io, { interactive: true });
      const found = asked.map((query) => toolwright.engine.operate(principal, "documents.search", { query, limit: 3 }));
      return (await Promise.all(found)).map(({ items }) => items.map(({ citation }) => citation));
    } finally {
      await toolwright.close();
    }
  };

  it("reads a folder while it waits: 20 of 20 citations name the right page, cell or heading", async () => {
    const added = await run("add", "docs", "--wait");
    expect(added.err).toContain("Left out: logo.png.");
    expect(added.err).toMatch(/\[\d\/3\] Manual\.pdf: ready, 300 pages, 300 passages\n/);
    expect(added.code).toBe(exitCodes.done);
    const found = await searchAll(questions.map(([question]) => question));
    const wrong = questions.filter(([, citation], at) => !citation.test(found[at]?.[0] ?? ""));
    expect(wrong).toEqual([]);
    expect(found.length).toBe(20);
  });

  it("leaves an unchanged file as it is, and puts a new version in the place of the old one", async () => {
    const before = await list();
    expect((await run("add", "docs", "--wait")).err).toMatch(/Manual\.pdf: unchanged \(doc_/);
    expect(await list()).toEqual(before);
    writeFileSync(join(root, "docs", "Energy.ipynb"), makeNotebook([{ type: "markdown", source: "Batteries store the surplus." }]));
    await run("add", "docs/Energy.ipynb", "--wait");
    const [stored = [], solar = []] = await searchAll(["Where is the surplus stored?", "How much electricity do solar panels deliver?"]);
    expect(stored[0]).toMatch(/^Energy\.ipynb, cell 1/);
    expect(solar.filter((citation) => citation.includes("cell 4"))).toEqual([]);
    expect((await list()).map(({ version }) => version).sort()).toEqual([1, 1, 2]);
  });

  it.each([
    ["is not there", undefined],
    ["is no JSON", "title,text\n"],
    ["holds lines of another kind", '{"a":1}\n'],
    ["holds a document without its text", '{"title":"a","collection":"default","source":{"kind":"file"}}\n'],
    ["holds what is no object", "null\n"],
  ])("refuses to import a file that %s, and says which one it takes", async (_name, content) => {
    const path = join(root, "odd.jsonl");
    if (content === undefined) rmSync(path, { force: true });
    else writeFileSync(path, content);
    expect(await run("import", path)).toMatchObject({
      code: exitCodes.usage,
      err: expect.stringContaining("Name a file that knowledge export has written."),
    });
  });

  it("exports the whole text of each document in a page after the other, with what is not read yet named", async () => {
    const long = mkdtempSync(join(tmpdir(), "toolwright-knowledge-"));
    const runLong = (...argv: readonly string[]) => runIn(long, ["knowledge", ...argv]);
    try {
      const texts = ["one", "two", "three"].map((word) => `# ${word}\n\n${`All about ${word}. `.repeat(45_000).trim()}`);
      for (const [at, text] of texts.entries()) writeFileSync(join(long, `${at}.md`), text);
      await runLong("add", "0.md", "1.md", "2.md", "--wait");
      writeFileSync(join(long, "later.md"), "Later.");
      await runLong("add", "later.md");
      const { code, out, err } = await runLong("export");
      expect([code, err]).toEqual([exitCodes.done, "Left out: later.md is not read yet.\n"]);
      const lines = out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly title: string; readonly text: string });
      expect(lines.map(({ title }) => title)).toEqual(["2.md", "1.md", "0.md"]);
      for (const [at, text] of texts.toReversed().entries()) expect(lines[at]?.text.replace(/\s+/g, " ")).toBe(text.replace(/\s+/g, " "));
      expect(await runLong("export", "--json")).toEqual({ code, out, err });
    } finally {
      rmSync(long, { recursive: true, force: true });
    }
  });

  it("exports texts and imports them elsewhere", async () => {
    writeFileSync(join(root, "all.jsonl"), (await run("export")).out);
    const elsewhere = mkdtempSync(join(tmpdir(), "toolwright-knowledge-"));
    try {
      const imported = await runIn(elsewhere, ["knowledge", "import", join(root, "all.jsonl"), "--wait"]);
      expect([imported.code, imported.err]).toEqual([exitCodes.done, expect.stringContaining("Manual.pdf: ready")]);
      const { out } = await runIn(elsewhere, ["knowledge", "search", "When", "are", "invoices", "due?"]);
      expect(out).toContain("within fourteen days");
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  it("finds nothing of a document that was removed", async () => {
    const manualId = (await list()).find(({ title }) => title === "Manual.pdf")?.id ?? "";
    expect((await run("remove", manualId)).err).toBe(`Removed ${manualId} (300 passages).\n`);
    const found = await searchAll(questions.map(([question]) => question));
    expect(found.flat().filter((citation) => citation.startsWith("Manual.pdf"))).toEqual([]);
    const missing = await run("show", manualId);
    expect([missing.code, missing.err]).toEqual([exitCodes.usage, expect.stringContaining("There is no document")]);
    const files = ["one.md", "two.md"];
    for (const file of files) writeFileSync(join(root, file), file);
    const added = JSON.parse((await run("add", ...files, "--json")).out) as readonly Listed[];
    const all = JSON.parse((await run("remove", ...added.map(({ id }) => id), "--json")).out);
    expect(all).toEqual(added.map(({ id }) => ({ id, removed: 0 })));
  });

  it("says what is wrong with what it cannot add or read", async () => {
    expect((await run("add", "nowhere")).err).toContain("There is no file or folder");
    expect((await run("add", "/dev/null")).err).toContain("/dev/null is neither a file nor a folder.");
    expect((await run("list", "--collection", "nowhere")).out).toContain('There are no documents in the collection "nowhere".');
    expect((await run("search", "--collection", "nowhere", "x")).err).toContain(
      'There are no documents to search in the collection "nowhere".',
    );
    mkdirSync(join(root, "empty"));
    expect((await run("add", "empty")).err).toContain("There is nothing to add.");
    writeFileSync(join(root, "broken.pdf"), "%PDF-1.7 broken");
    const broken = await run("add", "broken.pdf", "--wait");
    expect([broken.code, broken.err]).toEqual([exitCodes.failed, expect.stringMatching(/broken\.pdf: failed\. .+/)]);
    const found = await run("search", "anything");
    expect(found.err).toContain("Not searched: broken.pdf (failed).");
  });

  it("adds what it can of a folder, and names links, files that do not open and pages that are scans", async () => {
    mkdirSync(join(root, "mixed"));
    symlinkSync("nowhere", join(root, "mixed", "link.md"));
    const picture = { width: 64, height: 64, bits: 8, data: new Uint8Array(4_096) } as const;
    writeFileSync(join(root, "mixed", "half.pdf"), makePdf([{ lines: ["Words about zebras."] }, { picture }, { picture }]));
    writeFileSync(join(root, "mixed", "scan.pdf"), makePdf([{ picture }]));
    // A file that nobody can read at its beginning.
    const added = await run("add", "mixed", "/proc/self/mem", "--wait");
    expect(added.code).toBe(exitCodes.failed);
    expect(added.err).toContain("Left out: link.md.");
    expect(added.err).toContain("mem: not added. /proc/self/mem cannot be read (EIO).");
    expect(added.err).toContain("half.pdf: ready, 3 pages, 1 passage. Pages 2-3 cannot be read, as scans are");
    expect(added.err).toContain("scan.pdf: failed. The document holds no text. Page 1 cannot be read, as scans are");
  });
});
