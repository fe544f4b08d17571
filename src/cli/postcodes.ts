import { operator } from '../audit/audit.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
import { grouped } from './output.js';
import { withProgress } from './progress.js';
import type { ServiceCommand } from './service-command.js';

export function addPostcodeCommands(program: ServiceCommand): void {
  const postcodes = program.add('postcodes', 'the register of postcodes, optional');
  postcodes
    .add(
      'import <file>',
      "replace the register by ONS's ONSPD or OS's Code-Point Open: a CSV file with its header",
    )
    .inService(async (services, file: string) => {
      const { register, faults } = await withProgress('Reading', (onProgress) =>
        services.get(RegisterService).importFile(file, operator, onProgress),
      );
      console.log(`${register.kind}: ${contentOf(register)}`);
      if (faults.total === 0) return;
      console.log(`${grouped(faults.total)} lines were left out, the first of them:`);
      for (const { line, value, reason } of faults.shown.slice(0, 5)) {
        console.log(`  line ${line}, ${JSON.stringify(value)}: ${reason}`);
      }
    });
  postcodes.add('show', 'say which register is loaded').inService(async (services) => {
    const register = await services.get(RegisterService).find();
    console.log(
      register
        ? `${register.kind} from ${register.file}, imported at ${register.importedAt.toISOString()}: ${contentOf(register)}`
        : 'There is no register. Everything works without; see postcodes import --help.',
    );
  });
}

function contentOf({ live, terminated }: { readonly live: number; readonly terminated: number }) {
  return `${grouped(live)} live postcodes, ${grouped(terminated)} terminated.`;
}
