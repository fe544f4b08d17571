import type { Command } from 'commander';
import { operator } from '../audit/audit.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
import { withService } from './context.js';
import { withProgress } from './progress.js';

export function addPostcodeCommands(program: Command): void {
  const postcodes = program.command('postcodes').description('the register of postcodes, optional');
  postcodes
    .command('import <file>')
    .description(
      "replace the register by ONS's ONSPD or OS's Code-Point Open: a CSV file with its header",
    )
    .action(async (file: string) => {
      const { register, faults } = await withService((service) =>
        withProgress('Reading', (onProgress) =>
          service.get(RegisterService).importFile(file, operator, onProgress),
        ),
      );
      const { kind, live, terminated } = register;
      console.log(
        `${kind}: ${live.toLocaleString('en-GB')} live postcodes, ${terminated.toLocaleString('en-GB')} terminated.`,
      );
      if (faults.total > 0) {
        console.log(
          `${faults.total.toLocaleString('en-GB')} lines were left out, the first of them:`,
        );
        for (const { line, value, reason } of faults.shown.slice(0, 5)) {
          console.log(`  line ${line}, ${JSON.stringify(value)}: ${reason}`);
        }
      }
    });
  postcodes
    .command('show')
    .description('say which register is loaded')
    .action(async () => {
      const register = await withService((service) => service.get(RegisterService).find());
      if (!register) {
        console.log('There is no register. Everything works without; see postcodes import --help.');
        return;
      }
      const { kind, file, live, terminated, importedAt } = register;
      console.log(
        `${kind} from ${file}, imported at ${importedAt.toISOString()}: ${live.toLocaleString('en-GB')} live postcodes, ${terminated.toLocaleString('en-GB')} terminated.`,
      );
    });
}
