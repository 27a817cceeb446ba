export interface ReleaseFacts {
  readonly branch: string;
  /** As `git status --porcelain` lists them. */
  readonly changedFiles: readonly string[];
  readonly pendingChangesets: readonly string[];
  readonly packagesWithoutRepository: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Why this release must not be published, a sentence each with what to do; empty when nothing stands against it. */
export function findBlockers(facts: ReleaseFacts): string[] {
  const { branch, changedFiles, pendingChangesets, packagesWithoutRepository, environment } = facts;
  const blockers: string[] = [];
  if (branch !== "main") blockers.push(`The branch is ${branch}. Publish from main.`);
  if (changedFiles.length > 0)
    blockers.push(`The working tree differs from its commit: ${listSome(changedFiles)}. Commit these files or remove them.`);
  if (pendingChangesets.length > 0)
    blockers.push(
      `The versions do not include ${pendingChangesets.join(", ")}. Run \`npm run release:version\` and merge its result into main first.`,
    );
  if (packagesWithoutRepository.length > 0)
    blockers.push(
      `The registry compares provenance with the repository that a package names, and these name none: ${packagesWithoutRepository.join(", ")}. Add "repository" to their package.json.`,
    );
  if (!canProveOrigin(environment))
    blockers.push(
      "This process has no identity for provenance. Publish in GitHub Actions with the permission `id-token: write`, or in GitLab CI with an ID token in SIGSTORE_ID_TOKEN.",
    );
  return blockers;
}

/** Where npm finds the identity that it signs with. */
function canProveOrigin({
  GITHUB_ACTIONS,
  ACTIONS_ID_TOKEN_REQUEST_URL,
  GITLAB_CI,
  SIGSTORE_ID_TOKEN,
}: ReleaseFacts["environment"]): boolean {
  return Boolean((GITHUB_ACTIONS && ACTIONS_ID_TOKEN_REQUEST_URL) || (GITLAB_CI && SIGSTORE_ID_TOKEN));
}

function listSome(names: readonly string[]): string {
  const most = 5;
  return names.length > most ? `${names.slice(0, most).join(", ")} and ${names.length - most} more` : names.join(", ");
}
