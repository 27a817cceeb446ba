import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { costsByYear, systems } from "./heating.ts";
import { form, view } from "./heating-specs.ts";

export default defineTool({
  name: "compare_heating",
  description: "Compare what heating with gas and with a heat pump costs over the years, in euros. It knows no prices of today.",
  input: z.object({
    area: z.int().min(20).max(1000).default(120).describe("Heated area in square metres"),
    years: z.int().min(2).max(30).default(10).describe("Years to look at"),
    rise: z.number().min(0).max(20).default(3).describe("Percent by which energy gets dearer each year"),
    currency: z.enum(["EUR", "CHF"]).default("EUR"),
    campaign: z.string().optional().describe("Who sent the visitor"),
  }),
  output: z.object({
    answer: z.object({ cheaper: z.string(), saves: z.int() }),
    years: z.array(z.object({ year: z.int(), gas: z.int(), heatPump: z.int() })),
    marks: z.array(z.object({ mark: z.string(), gas: z.int(), heatPump: z.int() })),
    systems: z.array(z.object({ name: z.string(), price: z.int(), carbon: z.int() })),
    advice: z.string(),
    costs: z.string().describe("Id of the artifact with the costs"),
    region: z.object({ zone: z.string() }),
  }),
  presentation: { category: "Home", form, view },
  async run(input, { artifacts }) {
    const years = costsByYear(input);
    const { gas, heatPump } = years.at(-1)!;
    const cheaper = heatPump < gas ? "Heat pump" : "Gas";
    const lines = ["year,gas,heat pump", ...years.map((cost) => `${cost.year},${cost.gas},${cost.heatPump}`)];
    const { id } = await artifacts.save({ name: "heating.csv", mediaType: "text/csv", content: lines.join("\n") });
    return {
      answer: { cheaper, saves: Math.abs(gas - heatPump) },
      years,
      ...systems,
      advice: `Over ${input.years} years, **${cheaper.toLowerCase()}** costs less. Ask for:\n\n- a heat load calculation\n- two offers`,
      costs: id,
      region: { zone: "temperate" },
    };
  },
});
