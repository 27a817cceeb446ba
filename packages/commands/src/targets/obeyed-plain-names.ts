import type { NameEntry } from "./name-patterns.ts";

/**
 * Names without a dot that a tool obeys by itself: when somebody opens or enters the folder, commits in it, or starts a usual tool there.
 * Source and build files that run only when somebody builds or tests the project are not here: Makefile, package.json, conftest.py.
 */
export const obeyedPlainNames: readonly NameEntry[] = [
  {
    names: "mise.toml mise.*.toml mise/config.toml mise/config.*.toml mise/conf.d/** mise/tasks/** mise-tasks/**",
    reason: "Variables, tools, hooks and tasks, which a shell takes up as it enters the folder.",
    source: "https://mise.jdx.dev/configuration.html",
  },
  {
    names: "devenv.nix devenv.yaml devenv.local.nix devenv.local.yaml",
    reason: "Runs as the folder is entered.",
    source: "https://devenv.sh/automatic-shell-activation/",
  },
  { names: "devbox.json", reason: "Its init_hook runs with every shell.", source: "https://www.jetify.com/docs/devbox/configuration" },
  {
    names: "flake.nix shell.nix default.nix",
    reason: "Describes the shell of the folder, with a shellHook.",
    source: "https://nix.dev/manual/nix/latest/command-ref/nix-shell",
  },
  {
    names: "replit.nix",
    reason: "Describes the machine that opens the folder.",
    source: "https://docs.replit.com/replit-workspace/configuring-repl",
  },
  { names: "justfile", reason: "Recipes, found from every folder below.", source: "https://just.systems/man/en/" },
  {
    names: "taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml",
    reason: "Tasks, whose variables run commands when they are listed.",
    source: "https://taskfile.dev/docs/guide",
  },
  {
    names: "vagrantfile",
    reason: "A program that every command of vagrant runs.",
    source: "https://developer.hashicorp.com/vagrant/docs/vagrantfile",
  },
  { names: "tiltfile", reason: "A program that runs again as it changes.", source: "https://docs.tilt.dev/tiltfile_concepts.html" },
  {
    names:
      "lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook.jsonc lefthook-local.yml lefthook-local.yaml lefthook-local.toml lefthook-local.json lefthook-local.jsonc",
    reason: "Commands that run with each commit.",
    source: "https://lefthook.dev/configuration/",
  },
  { names: "hk.pkl hk.local.pkl", reason: "Commands that run with each commit.", source: "https://hk.jdx.dev/configuration.html" },
  { names: "prek.toml", reason: "Commands that run with each commit.", source: "https://prek.j178.dev/configuration/" },
  { names: "captainhook.json", reason: "Commands that run with each commit.", source: "https://php.captainhook.info/configure.html" },
  {
    names: "grumphp.yml grumphp.yaml grumphp.yml.dist grumphp.yaml.dist grumphp.dist.yml grumphp.dist.yaml",
    reason: "Commands that run with each commit.",
    source: "https://github.com/phpro/grumphp/blob/v2.x/doc/parameters.md",
  },
  {
    names: "simple-git-hooks.json simple-git-hooks.js simple-git-hooks.cjs simple-git-hooks.mjs",
    reason: "Commands that run with each commit.",
    source: "https://github.com/toplenboren/simple-git-hooks#configuration",
  },
  {
    names: "lint-staged.config.*",
    reason: "Commands that run with each commit.",
    source: "https://github.com/lint-staged/lint-staged#configuration",
  },
  {
    names: "commitlint.config.*",
    reason: "A program that runs with each commit.",
    source: "https://commitlint.js.org/reference/configuration.html",
  },
  { names: "bunfig.toml", reason: "Names modules that run before every script.", source: "https://bun.sh/docs/runtime/bunfig" },
  {
    names: "sitecustomize.py usercustomize.py pyvenv.cfg",
    reason: "Runs before every program of Python, or names the Python that runs.",
    source: "https://docs.python.org/3/library/site.html",
  },
  {
    names: "rust-toolchain rust-toolchain.toml",
    reason: "Names the compiler that runs in the folder, by a path too.",
    source: "https://rust-lang.github.io/rustup/overrides.html",
  },
  {
    names: "global.json",
    reason: "Names the SDK that runs in the folder, by a path too.",
    source: "https://learn.microsoft.com/en-us/dotnet/core/tools/global-json",
  },
  {
    names: "gradle-wrapper.properties gradle-wrapper.jar",
    reason: "Names what an editor downloads and runs when it opens the project.",
    source: "https://docs.gradle.org/current/userguide/gradle_wrapper.html",
  },
  {
    names: "ansible.cfg",
    reason: "Names plug-ins that every command of Ansible loads.",
    source: "https://docs.ansible.com/ansible/latest/reference_appendices/config.html",
  },
  {
    names: "*.code-workspace",
    reason: "Settings and tasks of an editor.",
    source: "https://code.visualstudio.com/docs/editing/workspaces/multi-root-workspaces",
  },
  {
    names: "*.sublime-project",
    reason: "Settings and build systems of an editor.",
    source: "https://www.sublimetext.com/docs/projects.html",
  },
  {
    names: "_vimrc _gvimrc _exrc",
    reason: "Commands that Vim runs as it starts on Windows.",
    source: "https://vimhelp.org/starting.txt.html#initialization",
  },
  {
    names: "config.fish",
    reason: "Commands that fish runs as it starts.",
    source: "https://fishshell.com/docs/current/language.html#configuration-files",
  },
  {
    names: "mcp.json mcp_config.json mcp-config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json",
    reason: "Programs that a client of the Model Context Protocol starts.",
    source: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
  },
  {
    names: "opencode.json opencode.jsonc",
    reason: "Settings, servers and permissions of an agent.",
    source: "https://opencode.ai/docs/config/",
  },
  {
    names: "crush.json crushrc",
    reason: "Settings, servers and permissions of an agent.",
    source: "https://github.com/charmbracelet/crush/blob/main/docs/config/README.md",
  },
  { names: "gemini-extension.json", reason: "Servers and instructions of an agent.", source: "https://geminicli.com/docs/extensions/" },
  {
    names: "agents.md agents.override.md agent.md",
    reason: "Instructions that agents follow in the folder.",
    source: "https://agents.md/",
  },
  {
    names: "claude.md claude.local.md",
    reason: "Instructions that an agent follows in the folder.",
    source: "https://code.claude.com/docs/en/memory",
  },
  { names: "gemini.md", reason: "Instructions that an agent follows in the folder.", source: "https://geminicli.com/docs/cli/gemini-md/" },
  {
    names: "qwen.md",
    reason: "Instructions that an agent follows in the folder.",
    source: "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/",
  },
  {
    names: "crush.md crush.local.md",
    reason: "Instructions that an agent follows in the folder.",
    source: "https://github.com/charmbracelet/crush#initialization",
  },
  {
    names: "warp.md",
    reason: "Instructions that an agent follows in the folder.",
    source: "https://docs.warp.dev/knowledge-and-collaboration/rules",
  },
  {
    names: "desktop.ini",
    reason: "How Windows shows the folder, from other machines too.",
    source: "https://learn.microsoft.com/en-us/windows/win32/shell/how-to-customize-folders-with-desktop-ini",
  },
  {
    names: "autorun.inf",
    reason: "What Windows offers to start.",
    source: "https://learn.microsoft.com/en-us/windows/win32/shell/autorun-intro",
  },
];
