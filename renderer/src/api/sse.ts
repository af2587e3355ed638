/** A server-sent event as it came over the line. */
export interface ServerSentEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/**
 * Splits the text of a `text/event-stream` into events, whatever the chunks are (WHATWG HTML, section 9.2.6).
 * Comment lines (`: ping`) make no event; the caller learns of them by bytes arriving.
 */
export class SseParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  push(chunk: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const text = this.#rest + chunk;
    let from = 0;
    for (;;) {
      const end = text.indexOf('\n', from);
      if (end === -1) break;
      const line =
        text.charCodeAt(end - 1) === 13 && end > from ? text.slice(from, end - 1) : text.slice(from, end);
      from = end + 1;
      if (line === '') {
        if (this.#data.length > 0)
          events.push({ event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id });
        this.#event = '';
        this.#data = [];
      } else this.#field(line);
    }
    this.#rest = text.slice(from);
    return events;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const raw = colon === -1 ? '' : line.slice(colon + 1);
    const value = raw.startsWith(' ') ? raw.slice(1) : raw;
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id') this.#id = value;
  }
}
