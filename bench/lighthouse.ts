import lighthouse, { desktopConfig } from "lighthouse";
import { chromium } from "playwright-core";
import { executablePath } from "../test/e2e/browser.ts";
import { type BenchConsole, openConsole } from "./console/open-console.ts";
import { median, type Row } from "./measure.ts";

const runs = Number(process.env.TOOLWRIGHT_BENCH_RUNS ?? 5);
const categories = ["performance", "accessibility", "best-practices"] as const;
type Scores = Readonly<Record<(typeof categories)[number], number>>;

/** The least that each page has, of 100. */
const devices: Readonly<Record<"desktop" | "mobile", Scores>> = {
  desktop: { performance: 95, accessibility: 95, "best-practices": 95 },
  mobile: { performance: 80, accessibility: 100, "best-practices": 100 },
};
const paths = ["/tools", "/tools/file_read", "/approvals", "/memory", "/admin/browsers"] as const;

/** What Lighthouse says of the pages that people open most, on a desk and on a phone. */
export async function measure(): Promise<readonly Row[]> {
  const console = await openConsole({ calls: 50, outputs: 0 });
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const args = [`--remote-debugging-port=${port}`, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"];
  const browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args, chromiumSandbox: false });
  try {
    await console.ask("/tools/exec/call", { command: "git push origin main" });
    const rows: Row[] = [];
    for (const device of ["desktop", "mobile"] as const)
      for (const path of paths) rows.push(...(await audit({ console, port, device, path })));
    return rows;
  } finally {
    await browser.close();
    await console.stop();
  }
}

interface Audit {
  readonly console: BenchConsole;
  readonly port: number;
  readonly device: keyof typeof devices;
  readonly path: string;
}

async function audit({ console, port, device, path }: Audit): Promise<readonly Row[]> {
  const scores: Scores[] = [];
  for (let run = 0; run < runs; run += 1) scores.push(await scorePage(`${console.origin}${path}`, port, device));
  return categories.map((category) => {
    const ours = median(scores.map((each) => each[category]));
    const least = devices[device][category];
    return {
      ...{ name: `${device}, ${category} of ${path}`, ours, peer: least, peerName: "the least", ratio: ours / least },
      ...{ unit: "of 100", target: `at least ${least}`, holds: ours >= least },
    };
  });
}

async function scorePage(url: string, port: number, device: keyof typeof devices): Promise<Scores> {
  const result = await lighthouse(
    url,
    // The stream of changes stays open, so the network never falls silent, for which Lighthouse would wait 45 s.
    { port, logLevel: "error", onlyCategories: [...categories], maxWaitForLoad: 10_000 },
    device === "desktop" ? desktopConfig : undefined,
  );
  if (!result) throw new Error(`Lighthouse has no answer for ${url}.`);
  const { lhr } = result;
  const score = (category: keyof Scores) => Math.round(100 * (lhr.categories[category]?.score ?? 0));
  const scores = { performance: score("performance"), accessibility: score("accessibility"), "best-practices": score("best-practices") };
  tellFindings(lhr.audits, `${device} ${new URL(url).pathname} ${Object.values(scores).join(" ")}`);
  return scores;
}

type Audits = Readonly<Record<string, { readonly title: string; readonly score: number | null; readonly displayValue?: string }>>;

/** What the scores come from, beside the rows. */
function tellFindings(audits: Audits, page: string): void {
  const found = Object.entries(audits).filter(([, { score }]) => score !== null && score < 0.95);
  process.stderr.write(`${page}: ${found.map(([id, { score, displayValue }]) => `${id} ${score} ${displayValue ?? ""}`).join("; ")}\n`);
}
