import type { FormSpec, ViewSpec } from "@toolwright/engine/catalogue";

export const form = {
  version: 1,
  groups: [{ title: "Your home", help: "What is heated, and for how long.", fields: ["area", "years"] }],
  more: ["rise"],
  fields: {
    area: { label: "Area in m²" },
    rise: { label: "Price rise in percent", help: "Energy got 3 percent dearer a year, on average." },
  },
  internal: ["campaign"],
  embed: { hide: ["currency"] },
} satisfies FormSpec;

const series = [
  { name: "gas", label: "Gas" },
  { name: "heatPump", label: "Heat pump" },
];

export const view = {
  version: 1,
  blocks: [
    {
      block: "summary",
      data: "/answer",
      items: [
        { name: "cheaper", label: "Cheaper" },
        { name: "saves", label: "It saves", unit: "€" },
      ],
    },
    { block: "chart", title: "Cost so far", data: "/years", shape: "line", x: "year", series },
    { block: "radar", title: "Beyond money", data: "/marks", axis: "mark", series },
    { block: "ranking", title: "Carbon", data: "/systems", label: "name", score: { name: "carbon", unit: "g/kWh" } },
    { block: "table", title: "Systems", data: "/systems" },
    { block: "markdown", data: "/advice" },
    { block: "file", data: "/costs" },
    { block: "custom", title: "Climate zone", data: "/region", renderer: "zone-map" },
  ],
} satisfies ViewSpec;
