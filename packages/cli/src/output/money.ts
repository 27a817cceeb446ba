/** US dollars to a billionth, and never as 1e-7. */
export const moneyOf = (cost: number) => cost.toFixed(9).replace(/\.?0+$/, "");
