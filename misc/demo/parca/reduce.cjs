// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Reduces the workspace of Parca's pages, in the current folder, to the packages
// that the pages need: without plugins for Grafana, Storybook, linters and tests.
// Two packages that came with Storybook are added by name. The recorder of
// sessions is removed, because the registry no longer has the version that
// yarn.lock names. The pages use it only in development.

const fs = require('fs');
const edit = (file, change) => {
  const json = JSON.parse(fs.readFileSync(file));
  change(json);
  fs.writeFileSync(file, JSON.stringify(json, null, 2) + '\n');
};
const keep = list => object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => list.includes(name) || name.startsWith('@types/')));
edit('package.json', p => {
  p.workspaces.packages = ['packages/app/web', 'packages/shared/*'];
  p.devDependencies = keep(['@swc/core', '@swc/cli', 'tailwindcss', 'postcss', 'typescript'])(p.devDependencies);
  delete p.dependencies['@parca/react-benchmark'];
});
edit('packages/app/web/package.json', p => {
  delete p.dependencies['@alwaysmeticulous/recorder-loader'];
  p.dependencies['moment-timezone'] = '0.5.41';
  p.devDependencies = keep(['@craco/craco', '@swc/core', '@swc/cli', 'css-loader', 'react-scripts', 'sass',
    'sass-loader', 'webpack'])(p.devDependencies);
  p.devDependencies['swc-loader'] = '^0.2.3';
});
