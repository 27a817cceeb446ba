import { join } from "node:path";
import type { RealClient } from "./client.ts";

export const opencode: RealClient = {
  name: "opencode",
  package: "opencode-ai",
  files: ({ modelUrl }) => ({
    ".config/opencode/opencode.json": `${JSON.stringify(
      {
        $schema: "https://opencode.ai/config.json",
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${modelUrl}/v1`, apiKey: "none" },
            models: { scripted: { name: "scripted", tool_call: true, limit: { context: 200_000, output: 8000 } } },
          },
        },
      },
      null,
      2,
    )}\n`,
  }),
  command: ({ packages }, prompt) => [join(packages, `opencode-${process.platform}-${process.arch}/bin/opencode`), "run", prompt],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
};
