import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pack } from "./packs.ts";
import { runCommand } from "./run-command.ts";

/**
 * Writes the bill of materials of all packs, with everything that they install, in the format CycloneDX. It is made of an installation without
 * development dependencies: `npm sbom --omit dev` leaves out what a development dependency needs as well.
 */
export async function listParts(root: string, packs: readonly Pack[], target: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "toolwright-parts-"));
  try {
    // npm calls the whole by the name of its folder.
    const cwd = join(work, "toolwright");
    mkdirSync(cwd);
    const dependencies = Object.fromEntries(packs.map(({ name, file }) => [name, `file:${file}`]));
    const manifest = { name: "toolwright-release", version: packs[0]?.version, private: true, license: "Apache-2.0", dependencies };
    writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
    // Keeps the versions that were tested.
    cpSync(join(root, "package-lock.json"), join(cwd, "package-lock.json"));
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    await runCommand("npm", ["install", "--package-lock-only", ...quiet], { cwd });
    const { out } = await runCommand("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], { cwd });
    writeFileSync(
      target,
      packs.reduce((text, { file }) => text.replaceAll(`file:${file}`, file.split(/[\\/]/).at(-1) as string), out),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
