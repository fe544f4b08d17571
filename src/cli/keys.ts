import { operator } from '../platform/audit/audit.service.js';
import { Config } from '../platform/config/config.js';
import { WebhooksService } from '../platform/notifications/webhooks.service.js';
import { Refused } from '../platform/problems/refused.js';
import { SecondFactorService } from '../staff/sign-in/second-factor.service.js';
import type { ServiceCommand } from './service-command.js';

export function addKeyCommands(program: ServiceCommand): void {
  program
    .add('keys', 'the keys that encrypt secrets in the database')
    .add(
      'reseal',
      'encrypt what the second keys encrypted with WEBHOOK_KEY and STAFF_KEY; then the second keys can go',
    )
    .inService(async (services) => {
      const { webhookKey, staffKey } = services.get(Config);
      const lost: string[] = [];
      for (const { name, isSet, service } of [
        { name: 'WEBHOOK_KEY', isSet: webhookKey !== null, service: WebhooksService },
        { name: 'STAFF_KEY', isSet: staffKey !== null, service: SecondFactorService },
      ]) {
        if (!isSet) {
          console.log(`${name} is not set.`);
          continue;
        }
        const { changed, current, unreadable } = await services.get(service).reseal(operator);
        console.log(`${name}: ${changed.length} encrypted again, ${current} were already.`);
        lost.push(...unreadable.map((id) => `${id}: neither ${name} nor ${name}_SECOND opens it.`));
      }
      if (lost.length > 0) throw new Refused(lost.join('\n'));
    });
}
