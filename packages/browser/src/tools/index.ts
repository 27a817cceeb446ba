import type { AnyTool } from "@toolwright/engine";
import { browserClick } from "./browser-click.ts";
import { browserClose } from "./browser-close.ts";
import { browserFind } from "./browser-find.ts";
import { browserOpen } from "./browser-open.ts";
import { browserPress } from "./browser-press.ts";
import { browserScreenshot } from "./browser-screenshot.ts";
import { browserSelect } from "./browser-select.ts";
import { browserSnapshot } from "./browser-snapshot.ts";
import { browserType } from "./browser-type.ts";
import { browserUpload } from "./browser-upload.ts";
import { browserWait } from "./browser-wait.ts";

/** Tools of the browser. Their definitions load no browser. */
export const browserTools: readonly AnyTool[] = [
  browserOpen,
  browserSnapshot,
  browserFind,
  browserClick,
  browserType,
  browserSelect,
  browserPress,
  browserUpload,
  browserWait,
  browserScreenshot,
  browserClose,
];
