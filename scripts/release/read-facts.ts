import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ReleaseFacts } from "./find-blockers.ts";
import { runCommand } from "./run-command.ts";

export async function readFacts(root: string): Promise<ReleaseFacts> {
  const git = async (...args: string[]) => (await runCommand("git", args, { cwd: root })).out;
  const [branch, status] = await Promise.all([git("rev-parse", "--abbrev-ref", "HEAD"), git("status", "--porcelain")]);
  return {
    branch: branch.trim(),
    changedFiles: status
      .split("\n")
      .filter(Boolean)
      .map((line) => line.slice(3)),
    pendingChangesets: findPendingChangesets(root),
    packagesWithoutRepository: readManifests(root)
      .filter(({ repository }) => repository === undefined)
      .map(({ name }) => name),
    environment: process.env,
  };
}

function findPendingChangesets(root: string): string[] {
  return globSync(".changeset/*.md", { cwd: root })
    .filter((path) => basename(path) !== "README.md")
    .sort();
}

function readManifests(root: string): { name: string; repository?: unknown }[] {
  return globSync("packages/*/package.json", { cwd: root })
    .sort()
    .map((path) => JSON.parse(readFileSync(join(root, path), "utf8")));
}
