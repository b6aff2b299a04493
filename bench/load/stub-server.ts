import { type AddressInfo, createServer, type Socket } from 'node:net';

const answer = '{"UnprocessedItems":{}}';
const reply = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: ${answer.length}\r\nconnection: keep-alive\r\n\r\n${answer}`,
);
const headEnd = '\r\n\r\n';

/**
 * A server that takes every write at once and keeps nothing. It does not even parse: it looks for the length of each request, so
 * that it takes as little as possible of the processor that it shares with those it measures.
 */
export async function openStub(): Promise<string> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  let head = '';
  /** Bytes of the present request's body that are still to come. */
  let left = 0;
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    let at = 0;
    while (at < bytes.length) {
      if (left > 0) {
        const taken = Math.min(left, bytes.length - at);
        left -= taken;
        at += taken;
      } else {
        const end = bytes.indexOf(headEnd, at);
        // A head in two pieces is rare: pieces are put together as text, which heads are.
        if (end === -1) {
          head += bytes.toString('latin1', at);
          at = bytes.length;
          const split = head.indexOf(headEnd);
          if (split === -1) continue;
          left = lengthIn(head.slice(0, split)) - (head.length - split - headEnd.length);
        } else {
          left = lengthIn(head + bytes.toString('latin1', at, end));
          at = end + headEnd.length;
        }
        head = '';
      }
      if (left === 0) socket.write(reply);
    }
  });
}

function lengthIn(head: string): number {
  return Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
}
