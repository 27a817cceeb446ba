/** Name of the session of one-off calls of the command line: one a day, by the calendar of this machine, so that days of the log can be removed. */
export function cliSessionName(now = new Date()): string {
  return `cli-${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`;
}

const twoDigits = (number: number) => String(number).padStart(2, "0");
