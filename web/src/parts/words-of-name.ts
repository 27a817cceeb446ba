/** `maxResults` and `max_results` are "Max results". */
export function wordsOfName(name: string): string {
  const words = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z\d])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim();
  return words === "" ? name : words.slice(0, 1).toUpperCase() + words.slice(1);
}
