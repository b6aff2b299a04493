/** @template T @typedef {import('./command-spec.ts').Value<T>} Value */
/** @typedef {{ readonly name: string, readonly type: 'S' | 'N' | 'B' }} Key */

// DynamoDB developer guide, naming rules: attribute names of keys have 1 to 255 characters.
const oneKey = /^([^\s:,=]{1,255}?)(?::([SNB]))?$/;

/** @param {string} given @returns {Key | undefined} */
function readKey(given) {
  const [, name, type = 'S'] = oneKey.exec(given) ?? [];
  return name === undefined ? undefined : { name, type: /** @type {Key['type']} */ (type) };
}

/** @type {Value<Key>} */
export const typedKey = {
  shown: 'key',
  expected: 'the name of an attribute, with its type where it is no text: PK, or at:N',
  read: readKey,
};

/** Several with a + between them. @param {string} given @returns {readonly Key[] | undefined} */
function readKeys(given) {
  const keys = given.split('+').flatMap((one) => readKey(one) ?? []);
  return keys.length === given.split('+').length ? keys : undefined;
}

/** @type {Value<{ readonly name: string, readonly hash: readonly Key[], readonly range: readonly Key[] }>} */
export const indexOf = {
  shown: 'index',
  expected:
    'an index of 3 to 255 letters, digits, _, - and . with its keys: ByActor=actor, ByActor=actor,at:N, or ByPlace=hall+shelf,row:N+at:N',
  read: (given) => {
    // DynamoDB developer guide, naming rules of indexes.
    const [, name = '', keys = ''] = /^([\w.-]{3,255})=(.+)$/.exec(given) ?? [];
    const [hash, range, ...more] = keys.split(',').map(readKeys);
    if (hash === undefined || more.length > 0 || (keys.includes(',') && range === undefined)) return undefined;
    return { name, hash, range: range ?? [] };
  },
};
