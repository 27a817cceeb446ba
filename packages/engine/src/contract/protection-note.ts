/** How the note begins that says what is missing in the protection of runs. */
export const protectionWords = "Protection of runs here";

/** Whether the note says what is missing in the protection of runs, which a session is told once: `posture.gaps` has it in full. */
export const isProtectionNote = (note: string): boolean => note.startsWith(protectionWords);
