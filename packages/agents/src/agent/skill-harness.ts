/** What turns of an agent that has skills admit, and no other. */
export const skillHarness = "skills";
