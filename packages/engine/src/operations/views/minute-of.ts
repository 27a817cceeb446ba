/** A time as people read it, to the minute, in UTC. */
export const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`;
