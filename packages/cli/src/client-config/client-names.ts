/** In words; apart from what they write, since commands that only name them start faster. */
export const clientNames = "codex, claude, gemini, opencode, cursor or vscode";
