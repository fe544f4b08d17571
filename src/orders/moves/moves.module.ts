import { Module } from '@nestjs/common';
import { BackgroundWork } from '../../platform/kernel/background-work.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { MovesService } from './moves.service.js';
import { OrderChangesService } from './order-changes.service.js';
import { UndoService } from './undo.service.js';

/** What changes an order, and how it is taken back. */
@Module({
  providers: [MovesService, OrderChangesService, UndoService],
  exports: [MovesService, OrderChangesService, UndoService],
})
export class MovesModule {
  constructor(background: BackgroundWork, undos: UndoService) {
    background.every('undo pruning', MINUTE, () => undos.prune(), { whileServing: true });
  }
}
