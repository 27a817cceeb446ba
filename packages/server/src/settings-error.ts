import { ToolwrightError } from "@toolwright/engine/errors";

/** A setting that cannot be used (`settings_invalid`). The message names the setting and says what to write. */
export class SettingsError extends ToolwrightError {
  constructor(message: string, { cause }: { readonly cause?: unknown } = {}) {
    super("settings_invalid", message, { cause });
  }
}
