import type { TextSource } from '../../engine/cli/seed/text-source.ts';

/** A text as a fixture's file gives it, in pieces of any size. */
export function textSource(text: string, pieceLength = Math.max(1, text.length)): TextSource {
  const pieces = Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, at) =>
    text.slice(at * pieceLength, (at + 1) * pieceLength),
  );
  return { pieces: () => pieces, whole: async () => text };
}
