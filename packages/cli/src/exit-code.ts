/** What the exit code of a command says. They are part of the interface: scripts branch on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  pending: 4,
  cancelled: 5,
  unknown: 6,
  /** What the command needs is not there: the port is taken, the sandbox is missing. */
  unavailable: 69,
  defect: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
