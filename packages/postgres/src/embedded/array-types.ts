import type { ParserOptions } from "@electric-sql/pglite";

const pairs =
  "16:1000 17:1001 18:1002 19:1003 20:1016 21:1005 22:1006 23:1007 24:1008 25:1009 26:1028 27:1010 28:1011 29:1012 30:1013 114:199 142:143 " +
  "600:1017 601:1018 602:1019 603:1020 604:1027 628:629 650:651 700:1021 701:1022 718:719 774:775 790:791 829:1040 869:1041 1033:1034 " +
  "1042:1014 1043:1015 1082:1182 1083:1183 1114:1115 1184:1185 1186:1187 1266:1270 1560:1561 1562:1563 1700:1231 1790:2201 2202:2207 " +
  "2203:2208 2204:2209 2205:2210 2206:2211 2950:2951 2970:2949 3220:3221 3614:3643 3615:3645 3642:3644 3734:3735 3769:3770 3802:3807 " +
  "4072:4073 4089:4090 4096:4097 4191:4192 5038:5039 5069:271";

/**
 * PostgreSQL's own types by the types of their arrays: `pg_type.dat` gives each the same number in every database. What a migration or an
 * extension makes has other numbers in each; no query asks for an array of these.
 */
export const elementTypes: ReadonlyMap<number, number> = new Map(
  pairs.split(" ").map((pair) => {
    const [element = 0, array = 0] = pair.split(":").map(Number);
    return [array, element];
  }),
);

type Parser = ParserOptions[number];

/** Teaches parsers of single values to read arrays of them; `parse` is PGlite's own way to take one apart. */
export function readArrays(parsers: ParserOptions, parse: (text: string, element: Parser, type: number) => unknown): void {
  for (const [array, element] of elementTypes) parsers[array] = (text: string) => parse(text, parsers[element] as Parser, array);
}
