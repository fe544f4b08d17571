import { ApiSchema } from '@nestjs/swagger';
import { IsBoolean, IsOptional } from 'class-validator';
import { IsTextToRead } from '../../platform/http/field-rules.js';
import { PageOf } from '../../platform/http/paging.js';
import { MESSAGE_LENGTH, type MessageSender } from '../record/message.entity.js';

@ApiSchema({ description: 'What the client writes to the operator.' })
export class NewMessage {
  /** Several lines are possible; control characters are not. @example "The site contact is Grace Hopper, from 8:00." */
  @IsTextToRead(MESSAGE_LENGTH, 'Enter a message.')
  text: string;

  /**
   * `true`: this is what `delivery.waitingFor` asks the client for. The delivery then waits for the operator, who reads it. By default it is not.
   * @example true
   */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  answersWaiting?: boolean;
}

@ApiSchema({ description: 'That the message was received.' })
export class MessageReceipt {
  /** Identifies the message. @kind uuid */
  messageId: string;

  /** When the service received it, UTC. */
  at: Date;
}

@ApiSchema({ description: 'A message about an order or an enquiry.' })
export class Message extends MessageReceipt {
  /** Who wrote it, `client` or `operator`: neither side reads the name of a person. @enumName MessageSender */
  from: MessageSender;

  /** `(erased)` where the operator has erased the personal data. @maxLength 2000 @example "Who can let our engineer in?" */
  text: string;

  /** Whether it answers what the delivery waited for. @example false */
  answersWaiting: boolean;
}

@ApiSchema({ description: 'A page of messages, oldest first.' })
export class MessagePage extends PageOf(Message) {}
