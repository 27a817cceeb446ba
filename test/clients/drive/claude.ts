import { join } from "node:path";
import type { RealClient } from "./client.ts";

export const claude: RealClient = {
  name: "claude",
  package: "@anthropic-ai/claude-code",
  shell: "Bash",
  files: () => ({ ".claude.json": '{\n  "hasCompletedOnboarding": true,\n  "autoUpdates": false\n}\n' }),
  command: ({ packages }, prompt) => [
    process.execPath,
    join(packages, "@anthropic-ai/claude-code/cli-wrapper.cjs"),
    "-p",
    prompt,
    "--allowedTools",
    "mcp__toolwright",
    "--output-format",
    "stream-json",
    "--verbose",
  ],
  env: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    // Its own 5 s for a server that it waits for are too few where several programs share a processor.
    MCP_CONNECT_TIMEOUT_MS: "60000",
  }),
};
