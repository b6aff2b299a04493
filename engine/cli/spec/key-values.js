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

/** @type {Value<{ readonly name: string, readonly hash: Key, readonly range?: Key }>} */
export const indexOf = {
  shown: 'index',
  expected: 'an index of 3 to 255 letters, digits, _, - and . with its keys: ByActor=actor, or ByActor=actor,at:N',
  read: (given) => {
    // DynamoDB developer guide, naming rules of indexes.
    const [, name = '', keys = ''] = /^([\w.-]{3,255})=(.+)$/.exec(given) ?? [];
    const [hash, range, ...more] = keys.split(',').map(readKey);
    if (hash === undefined || more.length > 0 || (keys.includes(',') && range === undefined)) return undefined;
    return range === undefined ? { name, hash } : { name, hash, range };
  },
};
