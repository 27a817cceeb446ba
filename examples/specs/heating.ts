/** What does not depend on the house. */
export const systems = {
  marks: [
    { mark: "Comfort", gas: 3, heatPump: 4 },
    { mark: "Climate", gas: 1, heatPump: 5 },
    { mark: "Quiet", gas: 4, heatPump: 3 },
    { mark: "Upkeep", gas: 2, heatPump: 4 },
  ],
  systems: [
    { name: "Gas", price: 9_000, carbon: 240 },
    { name: "Heat pump", price: 21_000, carbon: 60 },
    { name: "Pellets", price: 19_000, carbon: 30 },
  ],
};

interface House {
  readonly area: number;
  readonly years: number;
  readonly rise: number;
}

/** What each system has cost by the end of each year. */
export function costsByYear({ area, years, rise }: House) {
  const costAfter = (price: number, perArea: number, year: number) =>
    Math.round(
      Array.from({ length: year }, (_, index) => area * perArea * (1 + rise / 100) ** index).reduce((sum, cost) => sum + cost, price),
    );
  return Array.from({ length: years }, (_, index) => ({
    year: index + 1,
    gas: costAfter(9_000, 16, index + 1),
    heatPump: costAfter(21_000, 7, index + 1),
  }));
}
