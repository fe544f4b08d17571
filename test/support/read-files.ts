/**
 * Preloaded into a process by `--import`: prints the path of each file that the process reads by
 * `readFileSync` to its error output.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

fs.readFileSync = new Proxy(fs.readFileSync, {
  apply(target, self, parameters) {
    process.stderr.write(`read ${String(parameters[0])}\n`);
    return Reflect.apply(target, self, parameters) as unknown;
  },
});
syncBuiltinESMExports();
