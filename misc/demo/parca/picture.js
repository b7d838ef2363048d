// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Opens Parca's page, selects the newest profile of a type, and takes a picture:
// picture.js URL TYPE PNG. The page gets its icons and fonts from other hosts.
// Here they come from packages of npm.

import fs from 'node:fs';
import puppeteer from 'puppeteer-core';

const [url, query, png] = process.argv.slice(2);
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

// answer returns the answer of another host to a request.
const answer = address => {
  const {pathname, searchParams} = new URL(address);
  if (searchParams.has('icons')) {
    const set = JSON.parse(fs.readFileSync(`node_modules/@iconify-json${pathname.replace('.json', '')}/icons.json`));
    const icons = Object.fromEntries(searchParams.get('icons').split(',').map(name => [name, set.icons[name]]));
    return {contentType: 'application/json', body: JSON.stringify({...set, icons, aliases: {}, categories: {}})};
  }
  if (pathname === '/css2') {
    let css = '';
    for (const [family, file, weights] of [['Poppins', 'poppins', [300, 400, 500, 600]], ['Roboto Mono', 'roboto-mono', [400]]]) {
      for (const weight of weights) {
        const font = fs.readFileSync(`node_modules/@fontsource/${file}/files/${file}-latin-${weight}-normal.woff2`).toString('base64');
        css += `@font-face {font-family: '${family}'; font-weight: ${weight}; src: url(data:font/woff2;base64,${font})}\n`;
      }
    }
    return {contentType: 'text/css', body: css};
  }
};

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: process.getuid() === 0 ? ['--no-sandbox'] : [], // Chromium refuses its sandbox to root
  defaultViewport: {width: 1400, height: 1800},
});
try {
  const page = await browser.newPage();
  await page.setRequestInterception(true);
  page.on('request', async request => {
    if (/^(data:|blob:)/.test(request.url()) || new URL(request.url()).host === new URL(url).host) return request.continue();
    try {
      const response = answer(request.url());
      if (response !== undefined) return request.respond({...response, headers: {'Access-Control-Allow-Origin': '*'}});
    } catch (error) {
      console.log(`${request.url()}: ${error.message}`);
    }
    request.abort();
  });
  const problems = [];
  page.on('pageerror', error => problems.push(error.message));
  page.on('response', response => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`));
  await page.goto(`${url}/?expression_a=${encodeURIComponent(query + '{}')}&time_selection_a=${encodeURIComponent('relative:minute|1')}`);
  await page.waitForSelector('path.line', {timeout: 60_000});
  await sleep(2000);

  // The last point of the line is the newest profile.
  const point = await page.$eval('path.line', line => {
    const p = line.getPointAtLength(line.getTotalLength()).matrixTransform(line.getScreenCTM());
    return {x: p.x, y: p.y, n: line.getAttribute('d').split('L').length};
  });
  console.log(`${point.n} profiles`);
  // The graph takes a click for the choice of a range if the pointer has not rested before.
  await page.mouse.move(point.x - 10, point.y + 10);
  await sleep(300);
  await page.mouse.move(point.x - 1, point.y + 1);
  await sleep(500);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => /nats-server\/v2\/server/.test(document.body.textContent), {timeout: 60_000});
  await sleep(2000);
  await page.mouse.move(700, 5);
  await sleep(2000);
  // Down to the end of the page's text; the window is higher.
  const height = await page.evaluate(() => {
    const note = [...document.querySelectorAll('p, span, div')].findLast(e => /^Showing [\d,]+/.test(e.textContent) && e.children.length === 0);
    return Math.ceil((note ?? document.querySelector('#icicle-graph') ?? document.body).getBoundingClientRect().bottom + 30);
  });
  await page.screenshot({path: png, captureBeyondViewport: false, clip: {x: 0, y: 0, width: 1400, height}});
  console.log(page.url());
  console.log(`problems: ${JSON.stringify(problems)}`); // of the release's notes, which are on another host
} finally {
  await browser.close();
}
