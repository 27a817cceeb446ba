import { defineTool } from "@toolwright/engine";
import { z } from "zod";

export default defineTool({
  name: "order_list",
  description: "List the open orders of the shop.",
  input: z.object({ shop: z.string().describe("URL of the shop") }),
  output: z.object({ orders: z.array(z.string()) }),
  effects: { http: "read" },
  reaches: ({ shop }) => [{ kind: "request", url: `${shop}/orders`, method: "GET", credential: "SHOP_KEY" }],
  async run({ shop }, { http }) {
    const { body } = await http.request({ url: `${shop}/orders`, credential: "SHOP_KEY" });
    return z.object({ orders: z.array(z.string()) }).parse(JSON.parse(Buffer.from(body).toString("utf8")));
  },
});
