import { operator } from '../platform/audit/audit.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
import { grouped, withProgress } from './output.js';
import type { ServiceCommand } from './service-command.js';

export function addPostcodeCommands(program: ServiceCommand): void {
  const postcodes = program.add('postcodes', 'the optional register of postcodes');
  postcodes
    .add(
      'import <file>',
      "replace the register with ONS's ONSPD or OS's Code-Point Open, a CSV file with a header",
    )
    .using(RegisterService, async (registers, file: string) => {
      const { register, faults } = await withProgress('Reading', (onProgress) =>
        registers.importFile(file, operator, onProgress),
      );
      console.log(`${register.kind}: ${contentOf(register)}`);
      if (faults.total === 0) return;
      console.log(`${grouped(faults.total)} lines were skipped, the first of them:`);
      for (const { line, value, reason } of faults.shown.slice(0, 5)) {
        console.log(`  line ${line}, ${JSON.stringify(value)}: ${reason}`);
      }
    });
  postcodes.add('show', 'show the loaded register').using(RegisterService, async (registers) => {
    const register = await registers.find();
    console.log(
      register
        ? `${register.kind} from ${register.file}, imported at ${register.importedAt.toISOString()}: ${contentOf(register)}`
        : 'There is no register; it is optional. See postcodes import --help.',
    );
  });
}

function contentOf({ live, terminated }: { readonly live: number; readonly terminated: number }) {
  return `${grouped(live)} live postcodes, ${grouped(terminated)} terminated.`;
}
