// Builds, packs and checks all packages, lists what they are made of, and publishes them with provenance.
//   npm run release -- --dry-run   raises the versions in a copy, does all but publish, and says what it would publish
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findBlockers } from "./release/find-blockers.ts";
import { listParts } from "./release/list-parts.ts";
import { type Pack, readPacks } from "./release/packs.ts";
import { readFacts } from "./release/read-facts.ts";
import { runCommand } from "./release/run-command.ts";
import { changesetProgram, stagePackages } from "./release/stage-packages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    /** Leaves the checks of types and packs to the caller. */
    unchecked: { type: "boolean", default: false },
    into: { type: "string", default: join(root, "release") },
    /** Another one than npm's own settings name. */
    registry: { type: "string" },
  },
});
const isRehearsal = values["dry-run"];
const into = resolve(values.into);
const sbom = join(into, "sbom.cdx.json");
const changeset = changesetProgram(root);
const environment = { ...process.env, ...(values.registry ? { npm_config_registry: values.registry } : {}) };

process.exitCode = await release();

async function release(): Promise<number> {
  const blockers = findBlockers(await readFacts(root));
  if (!isRehearsal && values.unchecked) blockers.push("Types and packs must be checked. Leave out --unchecked.");
  if (!isRehearsal && blockers.length > 0) return refuse(blockers);
  const compile = [join(root, "node_modules/typescript/bin/tsc"), "-b", "tsconfig.build.json", ...(values.unchecked ? ["--noCheck"] : [])];
  await runCommand(process.execPath, compile, { cwd: root });
  await runCommand(process.execPath, [join(root, "web/build.ts")], { cwd: root });
  const packs = await packAll();
  if (packs.length === 0) {
    console.log("The registry has every package in this version. There is nothing to publish.");
    return 0;
  }
  await listParts(root, packs, sbom);
  if (!values.unchecked && !passesChecks()) return refuse(["A check of the packs failed, see above."]);
  return isRehearsal ? describe(packs, blockers) : publish();
}

function refuse(blockers: readonly string[]): number {
  for (const blocker of blockers) console.error(`Not published: ${blocker}`);
  return 1;
}

async function packAll(): Promise<Pack[]> {
  mkdirSync(into, { recursive: true });
  for (const name of ["packages", "publish-plan.json", basename(sbom)]) rmSync(join(into, name), { recursive: true, force: true });
  const stage = mkdtempSync(join(tmpdir(), "toolwright-release-"));
  try {
    if (isRehearsal) await stagePackages(root, stage);
    await runCommand(process.execPath, [changeset, "pack", "--out-dir", into], { cwd: isRehearsal ? stage : root, env: environment });
    return readPacks(into);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function passesChecks(): boolean {
  const { status } = spawnSync(process.execPath, [join(root, "test/pack/run.ts"), "--packs", into], { cwd: root, stdio: "inherit" });
  return status === 0;
}

function describe(packs: readonly Pack[], blockers: readonly string[]): number {
  console.log("A release would publish, publicly and with provenance:");
  for (const { name, version, file } of packs) console.log(`  ${name}@${version}  ${file}`);
  console.log(`The bill of materials is ${sbom}.`);
  for (const blocker of blockers) console.log(`Until then: ${blocker}`);
  console.log("Nothing was published.");
  return 0;
}

function publish(): number {
  const env = { ...environment, npm_config_provenance: "true" };
  const { status } = spawnSync(process.execPath, [changeset, "publish", "--from-pack-dir", into], { cwd: root, env, stdio: "inherit" });
  if (status === 0) console.log(`Published. Push the tags with \`git push --tags\`, and attach ${sbom} to the release.`);
  return status ?? 1;
}
