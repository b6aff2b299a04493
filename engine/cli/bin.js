#!/usr/bin/env node
// Kept so simple that every Node can read it: an old one is told so in a sentence.
/** @type {[number, number]} */
var minimum = [20, 19];
var version = process.versions.node.split('.');

if (Number(version[0]) < minimum[0] || (Number(version[0]) === minimum[0] && Number(version[1]) < minimum[1])) {
  process.stderr.write(
    'tablewright needs Node ' +
      minimum.join('.') +
      ' or later; this is ' +
      process.versions.node +
      '. Install a newer one, for instance from nodejs.org.\n',
  );
  process.exitCode = 2;
} else {
  import('./enter.js');
}
