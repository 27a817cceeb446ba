export { type CodeSurvey, surveyCode } from "./survey-code.ts";
export { ensureToolsFolder, loadsAll, makeToolsFolder } from "./tools-folder.ts";
export { isMade, openTrustRecords, type TrustRecord, type TrustRecords } from "./trust-records.ts";
export { trustWritten } from "./trust-written.ts";
