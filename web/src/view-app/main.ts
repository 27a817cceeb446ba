import "../style/tokens.css";
import "./view-app.css";
import type { Row } from "../result/shape-of.ts";
import { valueAt } from "../result/view-spec.ts";
import { drawBlock, drawText } from "./draw-blocks.ts";
import { dim, element } from "./element.ts";
import { talkToHost } from "./host.ts";
import { type AppResult, type AppView, readResult } from "./result.ts";

const app = JSON.parse(document.getElementById("view")?.textContent ?? "null") as AppView;
const root = document.documentElement;
const main = document.querySelector("main") as HTMLElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let asked: unknown;

document.title = app.title;
applyTheme();
prefersDark.addEventListener("change", applyTheme);
show(dim("The result is shown when the call ends."));

talkToHost({
  onNotification(name, params) {
    if (name === "tool-result") show(...drawResult(readResult(params, app)));
    else if (name === "tool-cancelled") show(dim("The call was cancelled."));
  },
  onContext({ theme }) {
    if (theme !== undefined) asked = theme;
    applyTheme();
  },
  onOpened: followSize,
  onRefused: (words) => show(dim(`This program does not show the result. ${words}`.trim())),
});

/** What the host asks for, else what the machine does. */
function applyTheme(): void {
  const isDark = asked === "dark" || (asked !== "light" && prefersDark.matches);
  root.style.colorScheme = isDark ? "dark" : "light";
  root.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
}

function show(...parts: readonly HTMLElement[]): void {
  main.replaceChildren(element("h1", { class: "hidden-visually" }, [app.title]), ...parts);
}

function drawResult({ failed, output, notes, words, ...result }: AppResult): readonly HTMLElement[] {
  if (failed) return [element("p", { class: "text" }, [words || "The call has no result to show."])];
  const images = app.view.blocks.filter(({ block }) => block === "image");
  // Content does not say which image it is: as many as there are blocks are those, in their order.
  const pictures = images.length === result.pictures.length ? result.pictures : [];
  const blocks = app.view.blocks.map((block) => {
    const picture = block.block === "image" ? pictures[images.indexOf(block)] : undefined;
    const drawn = drawBlock(block, valueAt(output, block.data), { artifacts: result.artifacts, picture });
    if (block.title === undefined) return element("section", {}, [drawn]);
    return element("section", { "aria-label": block.title }, [element("h2", {}, [block.title]), drawn]);
  });
  const said = element(
    "ul",
    { class: "said", "aria-label": "Notes" },
    notes.map((note) => element("li", {}, [note])),
  );
  const json = element("details", {}, [element("summary", {}, ["JSON"]), drawText(JSON.stringify(output, null, 2))]);
  return [...blocks, ...(notes.length > 0 ? [said] : []), json];
}

/** MCP Apps 2026-01-26, `ui/notifications/size-changed`: the frame becomes as high as what is in it. */
function followSize(tell: (name: string, params: Row) => void): void {
  let told = "";
  new ResizeObserver(() => {
    const size = { width: Math.ceil(innerWidth), height: Math.ceil(document.body.getBoundingClientRect().height) };
    if (JSON.stringify(size) === told) return;
    told = JSON.stringify(size);
    tell("size-changed", size);
  }).observe(document.body);
}
