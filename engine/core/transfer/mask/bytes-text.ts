/** What bytes say: text where they are UTF-8, else a letter for each (Latin-1), so that different bytes never say the same. */
export function bytesText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  return Buffer.from(text, 'utf8').equals(buffer) ? text : buffer.toString('latin1');
}
