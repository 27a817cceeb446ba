/** The key that goes with letters for commands, as the keyboard has it. */
export const mod = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
