import "./app/trusted-types.ts";
import "./style/index.ts";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { reloadOnceForMissingChunks } from "./app/missing-chunk.ts";

reloadOnceForMissingChunks();
const root = document.getElementById("root");
if (!root) throw new Error("The page has no element with the id root.");
createRoot(root).render(<App />);
