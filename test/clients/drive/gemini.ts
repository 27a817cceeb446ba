import { join } from "node:path";
import type { RealClient } from "./client.ts";

const settings = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

export const gemini: RealClient = {
  name: "gemini",
  package: "@google/gemini-cli",
  checksInput: true,
  files: () => ({ ".gemini/settings.json": `// Settings of the person\n${JSON.stringify(settings, null, 2)}\n` }),
  command: ({ packages }, prompt) => [
    process.execPath,
    join(packages, "@google/gemini-cli/bundle/gemini.js"),
    "-m",
    "gemini-2.5-flash",
    "--approval-mode",
    "yolo",
    "-p",
    prompt,
  ],
  env: ({ modelUrl }) => ({ GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: "none", GEMINI_CLI_TRUST_WORKSPACE: "true" }),
};
