/** Milliseconds that a turn stays with a run that shows no life. */
export const turnLeaseMs = 15_000;
