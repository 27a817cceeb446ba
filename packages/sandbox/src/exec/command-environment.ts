const gitOverrides: readonly [key: string, value: string][] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  // Signatures are checked by a program that the repository may name.
  ["log.showSignature", "false"],
  // A folder that looks like a bare repository brings its own configuration; git then works on it without being asked to.
  ["safe.bareRepository", "explicit"],
];

/**
 * What every command finds in its environment beside what the driver itself sets. Git reads no configuration that runs programs
 * on commands which only look (R-GT-4), nothing asks questions on a terminal, and nothing pages.
 */
export const commandEnvironment: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  // Nobody sits there to write a message; without one git says that it is missing. It also stands above an editor of the repository.
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  // Empty stands above a program of the repository and one of SSH_ASKPASS.
  GIT_ASKPASS: "",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: String(gitOverrides.length),
  ...Object.fromEntries(
    gitOverrides.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key] as const,
      [`GIT_CONFIG_VALUE_${index}`, value] as const,
    ]),
  ),
};
