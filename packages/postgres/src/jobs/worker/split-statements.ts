/** A literal, a quoted name, a dollar-quoted body, a comment, or one other character. */
const piece = /\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g;

/** The statements of a script, in order: a database that takes one at a time gets them one by one. */
export function splitStatements(script: string): readonly string[] {
  const statements: string[] = [];
  let current = "";
  for (const [text] of script.matchAll(piece)) {
    if (text === ";") {
      statements.push(current.trim());
      current = "";
    } else if (!text.startsWith("--") && !text.startsWith("/*")) current += text;
  }
  statements.push(current.trim());
  return statements.filter((statement) => statement !== "");
}
