/** `1 file`, `2 files`; a plural that is not made by an s is given. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
