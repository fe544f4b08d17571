import { Option } from 'commander';
import { operator } from '../platform/audit/audit.service.js';
import { ClientsService } from '../clients/clients.service.js';
import { OperatorWatchesService } from '../watches/operator-watches.service.js';
import { type WatchState, watchStates } from '../watches/watch.entity.js';
import { type JsonOption, jsonOption, limitOption } from './options.js';
import { printRows } from './output.js';
import type { ServiceCommand } from './service-command.js';

interface TestOption {
  readonly test: boolean;
}

interface WatchListOptions extends JsonOption, TestOption {
  readonly client?: string;
  readonly state?: WatchState;
  readonly reference?: string;
  readonly limit: number;
}

const testOption = () =>
  new Option('--test', 'the watches of test tokens, not the live ones').default(false);

export function addWatchCommands(program: ServiceCommand): void {
  const watches = program.add('watches', 'places that API clients watch');
  watches
    .addList(
      'list watches, newest first',
      'There are no such watches.',
      async (services, { client, state, reference, test, limit }: WatchListOptions) => {
        const owner =
          client === undefined ? undefined : await services.get(ClientsService).find(client);
        const filter = {
          ...(owner && { clientId: owner.id }),
          ...(state && { state }),
          ...(reference !== undefined && { reference }),
          isTest: test,
        };
        return services.get(OperatorWatchesService).list(filter, limit);
      },
    )
    .option('--client <id-or-name>', 'only those of this API client')
    .addOption(new Option('--state <state>', 'only those in this state').choices(watchStates))
    .option('--reference <text>', "only those with this reference of the client's")
    .addOption(testOption())
    .addOption(limitOption(50, 100_000));
  watches
    .add('count', 'count the watches of each API client')
    .addOption(testOption())
    .addOption(jsonOption())
    .using(OperatorWatchesService, async (service, { test, json }: TestOption & JsonOption) => {
      const counts = await service.counts({ isTest: test });
      if (counts.length === 0 && !json) console.log('There are no watches.');
      printRows(counts, json);
    });
  watches
    .add(
      'erase <watch-id>',
      "erase the client's reference of a watch; a watch of single premises is deleted",
    )
    .using(OperatorWatchesService, async (service, id: string) => {
      const { watch, isDeleted } = await service.erase(id, operator);
      const done = isDeleted ? 'deleted the watch' : 'erased the reference';
      console.log(`${watch.postcode}: ${done}. Earlier backups still hold it.`);
    });
}
