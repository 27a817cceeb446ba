import { defineTool } from "@toolwright/engine";
import { z } from "zod";

const system = z.object({ name: z.string(), buy: z.number(), perYear: z.number(), comfort: z.number(), climate: z.number() });

export default defineTool({
  name: "compare_heating",
  description: "Compare what heating systems cost over the years. It takes prices in euros; to look prices up use a search first.",
  input: z.object({
    area: z.int().min(20).max(1000).default(120).describe("Heated area in square metres"),
    years: z.int().min(2).max(30).default(10).describe("Years to look at"),
    reason: z.string().optional(),
    rise: z.number().min(0).max(20).default(3).describe("Percent by which energy gets dearer each year"),
    tariff: z.enum(["day", "night"]).default("day"),
    trace: z.string().optional(),
  }),
  output: z.object({
    summary: z.object({ best: z.string(), saves: z.number(), years: z.int() }),
    byYear: z.array(z.object({ year: z.int(), gas: z.number(), heatPump: z.number() })),
    systems: z.array(system),
    advice: z.string(),
    report: z.object({ id: z.string(), name: z.string() }),
    raw: z.object({ area: z.int(), tariff: z.string() }),
  }),
  presentation: {
    category: "Home",
    form: {
      version: 1,
      groups: [
        { title: "Your home", help: "What is heated, and for how long.", fields: ["area", "years"] },
        { title: "Energy", fields: ["tariff", "rise"] },
      ],
      more: ["rise"],
      fields: {
        area: { label: "Area (m²)" },
        rise: { label: "Price rise (% a year)", help: "3 is what the last ten years had on average." },
        reason: { label: "Why you ask", widget: "textarea", placeholder: "The old boiler is broken" },
      },
      internal: ["trace"],
      embed: { hide: ["tariff"] },
    },
    view: {
      version: 1,
      blocks: [
        {
          block: "summary",
          data: "/summary",
          items: [
            { name: "best", label: "Cheapest" },
            { name: "saves", label: "Saves", unit: "€" },
            { name: "years", unit: "years" },
          ],
        },
        {
          block: "chart",
          title: "Cost so far",
          data: "/byYear",
          shape: "line",
          x: "year",
          series: [
            { name: "gas", label: "Gas", unit: "€" },
            { name: "heatPump", label: "Heat pump", unit: "€" },
          ],
        },
        { block: "radar", title: "Beyond money", data: "/systems", axis: "name", series: [{ name: "comfort" }, { name: "climate" }] },
        { block: "ranking", title: "Kindest to the climate", data: "/systems", label: "name", score: { name: "climate", unit: "points" } },
        {
          block: "table",
          title: "Systems",
          data: "/systems",
          columns: [
            { name: "name", label: "System" },
            { name: "buy", label: "Price", unit: "€" },
            { name: "perYear", label: "A year", unit: "€" },
          ],
        },
        { block: "markdown", data: "/advice" },
        { block: "file", data: "/report" },
        { block: "custom", title: "On the map", data: "/raw", renderer: "heat-map" },
      ],
    },
  },
  async run({ area, years, rise }, { artifacts }) {
    const systems = [
      { name: "Gas", buy: 9_000, perYear: area * 16, comfort: 3, climate: 1 },
      { name: "Heat pump", buy: 21_000, perYear: area * 7, comfort: 4, climate: 5 },
      { name: "Pellets", buy: 19_000, perYear: area * 10, comfort: 2, climate: 4 },
    ];
    const after = ({ buy, perYear }: { buy: number; perYear: number }, year: number) =>
      Array.from({ length: year }, (_, index) => perYear * (1 + rise / 100) ** index).reduce((sum, cost) => sum + cost, buy);
    const [gas, heatPump] = [systems[0]!, systems[1]!];
    const byYear = Array.from({ length: years }, (_, index) => ({
      year: index + 1,
      gas: Math.round(after(gas, index + 1)),
      heatPump: Math.round(after(heatPump, index + 1)),
    }));
    const saves = Math.round(after(gas, years) - after(heatPump, years));
    const best = saves > 0 ? "Heat pump" : "Gas";
    const lines = ["year,gas,heat pump", ...byYear.map(({ year, ...cost }) => `${year},${cost.gas},${cost.heatPump}`)];
    const report = await artifacts.save({ name: "heating.csv", mediaType: "text/csv", content: lines.join("\n") });
    return {
      summary: { best, saves: Math.abs(saves), years },
      byYear,
      systems,
      advice: `**${best}** costs less over ${years} years. Ask for:\n\n- a heat load calculation\n- two offers`,
      report: { id: report.id, name: report.name },
      raw: { area, tariff: "day" },
    };
  },
});
