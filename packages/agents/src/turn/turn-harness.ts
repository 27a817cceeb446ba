/** Category of the tools that an agent has in its turns, and that nobody else has. */
export const turnHarness = "turn";
