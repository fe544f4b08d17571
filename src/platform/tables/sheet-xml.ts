import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import sax from 'sax';
import { Refused } from '../problems/refused.js';

export type XmlAttributes = Readonly<Record<string, string>>;

/** What a reader of a part of a workbook receives. Names are without their namespaces. */
export interface XmlHandlers {
  readonly onOpen: (name: string, attributes: XmlAttributes) => void;
  readonly onText?: (text: string) => void;
  readonly onClose?: (name: string) => void;
}

const local = (name: string) => name.slice(name.indexOf(':') + 1);

/** Reads XML as it arrives. No entity is expanded but those of XML itself. @throws {Refused} */
export async function readXml(stream: Readable, handlers: XmlHandlers): Promise<void> {
  const parser = sax.parser(true, {});
  parser.onerror = (error) => {
    throw error;
  };
  parser.ondoctype = () => {
    throw new Refused('The workbook declares entities of XML. Save it again in Excel.');
  };
  parser.onopentag = ({ name, attributes }) => {
    const entries = Object.entries(attributes as XmlAttributes);
    handlers.onOpen(
      local(name),
      Object.fromEntries(entries.map(([key, one]) => [local(key), one])),
    );
  };
  parser.ontext = (text) => handlers.onText?.(text);
  parser.oncdata = (text) => handlers.onText?.(text);
  parser.onclosetag = (name) => handlers.onClose?.(local(name));
  const decoder = new StringDecoder('utf8');
  for await (const chunk of stream) parser.write(decoder.write(chunk as Buffer));
  parser.write(decoder.end()).close();
}
