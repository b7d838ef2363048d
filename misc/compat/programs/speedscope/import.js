// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Imports all profiles of a folder with speedscope's own importer. The weight
// of each must equal one of its sums in sums.json, which the program readers
// has written.
//
//	node import.js BUNDLE DIR
//
// The npm package speedscope is a page. Its script is run here up to the place
// where it draws, with stand-ins for the names of a browser that it uses before
// that place.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [bundle, dir] = process.argv.slice(2);

function loadImporter() {
  const text = fs.readFileSync(bundle, 'utf8');
  const importer = /async function (\w+)\(\w+,\w+\)\{return\(await \w+\)\.importProfileGroupFromBase64/.exec(text);
  const drawing = text.lastIndexOf('console.log(`speedscope v');
  if (!importer || drawing < 0) throw new Error('this release of speedscope is laid out differently');
  const nothing = () => undefined;
  const element = { style: {}, appendChild: nothing, setAttribute: nothing, addEventListener: nothing, getContext: () => null };
  const page = {
    console: { ...console, log: nothing }, setTimeout, clearTimeout, TextDecoder, TextEncoder, URL, atob, btoa, Uint8Array, ArrayBuffer,
    document: { createElement: () => element, head: element, body: element, addEventListener: nothing, currentScript: null, querySelector: () => null },
    location: { protocol: 'file:', hash: '', href: 'file:///' }, navigator: { userAgent: '', platform: '' },
    addEventListener: nothing, matchMedia: () => ({ matches: false, addEventListener: nothing, addListener: nothing }),
    localStorage: { getItem: () => null, setItem: nothing }, requestAnimationFrame: nothing, devicePixelRatio: 1,
  };
  page.window = page.self = page.globalThis = page;
  vm.runInNewContext(text.slice(0, drawing) + `window.importer=${importer[1]};})();`, page, { filename: bundle });
  return page.importer;
}

async function main() {
  const sums = JSON.parse(fs.readFileSync(path.join(dir, 'sums.json'), 'utf8'));
  const importer = loadImporter();
  let bad = 0, n = 0;
  for (const file of fs.readdirSync(dir).filter((f) => f.endsWith('.pb.gz')).sort()) {
    const name = file.slice(0, -'.pb.gz'.length);
    if (sums[name].Negative) continue; // speedscope takes no negative values
    n++;
    const group = await importer(file, fs.readFileSync(path.join(dir, file)).toString('base64'));
    const weight = group && group.profiles.map((p) => p.getTotalWeight()).reduce((a, b) => a + b, 0);
    // speedscope imports one sample type: the default, or the last.
    const ok = group ? Object.values(sums[name].Sums).some((sum) => Math.abs(sum) === Math.abs(weight)) : false;
    if (!ok) {
      bad++;
      console.log(`${name}: weight ${weight}, and the sums are ${JSON.stringify(sums[name].Sums)}`);
    }
  }
  console.log(`${n - bad} of ${n} profiles imported`);
  process.exitCode = bad || !n ? 1 : 0;
}

main().catch((err) => { console.log(err); process.exitCode = 1; });
