import { join } from "node:path";
import type { RealClient } from "./client.ts";

export const codex: RealClient = {
  name: "codex",
  package: "@openai/codex",
  files: ({ modelUrl }) => ({
    ".codex/config.toml": `# Settings of the person
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted" # on loopback
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`,
  }),
  command: ({ packages, project }, prompt) => [
    join(packages, ".bin/codex"),
    "exec",
    "--json",
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    "-C",
    project,
    prompt,
  ],
  env: () => ({ SCRIPTED_KEY: "none" }),
};
