import type { ToolView } from "@toolwright/engine";

/** How much a word counts by where it stands. */
const weights = { name: 4, title: 2, group: 2, description: 1, examples: 1 };

type Place = keyof typeof weights;

const texts: Readonly<Record<Place, (tool: ToolView) => string>> = {
  name: ({ name }) => name,
  title: ({ title }) => title,
  group: ({ group }) => group,
  description: ({ description }) => description,
  examples: ({ examples }) => examples.map(({ label, input }) => `${label} ${JSON.stringify(input)}`).join(" "),
};

const places = Object.keys(weights) as Place[];

/** The tools that share words with the query, best first: a word counts by where it stands, and more the fewer tools have it. */
export function rankTools(query: string, tools: readonly ToolView[]): readonly ToolView[] {
  const words = tools.map((tool) => places.map((place) => ({ weight: weights[place], words: new Set(wordsOf(texts[place](tool))) })));
  const scores = tools.map(() => 0);
  for (const word of new Set(wordsOf(query))) {
    const found = words.map((tool) => tool.reduce((sum, place) => sum + (place.words.has(word) ? place.weight : 0), 0));
    const having = found.filter((weight) => weight > 0).length;
    const rarity = Math.log(1 + tools.length / Math.max(1, having));
    found.forEach((weight, index) => {
      scores[index] = (scores[index] ?? 0) + weight * rarity;
    });
  }
  return tools
    .map((tool, index) => ({ tool, score: scores[index] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

/** Words of any script in lower case, parts of `snake_case` and `camelCase` apart, English endings off. */
function wordsOf(text: string): string[] {
  const parts = text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (parts ?? []).map((word) => (word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s)$/, "") : word));
}
