// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This script fetches parts of pages, which the server has made and escaped. If
// it cannot fetch one, or is not run, links lead to pages with the same content.

"use strict";

async function part(url) {
	const response = await fetch(url);
	if (!response.ok) {
		throw new Error(response.statusText);
	}
	return response.text();
}

// rowsBelow returns the rows of the tree below a row.
function rowsBelow(row) {
	const rows = [];
	const level = Number(row.dataset.level);
	for (let r = row.nextElementSibling; r && Number(r.dataset.level) > level; r = r.nextElementSibling) {
		rows.push(r);
	}
	return rows;
}

// toggle opens or closes a row of the tree.
async function toggle(link) {
	const row = link.closest("tr");
	if (link.getAttribute("aria-expanded") === "true") {
		rowsBelow(row).forEach(r => r.remove());
		link.setAttribute("aria-expanded", "false");
		return;
	}
	row.insertAdjacentHTML("afterend", await part(link.dataset.rows));
	link.setAttribute("aria-expanded", "true");
	prepare(row.parentElement);
}

// more puts rows in place of the row that stands for them.
async function more(link) {
	const row = link.closest("tr");
	row.insertAdjacentHTML("afterend", await part(link.dataset.rest));
	const next = row.nextElementSibling;
	row.remove();
	prepare(next.parentElement);
	next.querySelector("a").focus();
}

// act calls f for a link, unless it is being called already.
async function act(link, f) {
	if (link.hasAttribute("aria-busy")) {
		return;
	}
	link.setAttribute("aria-busy", "true");
	try {
		await f(link);
	} catch {
		location.href = link.href;
	} finally {
		link.removeAttribute("aria-busy");
	}
}

// prepare says to assistive technology that links open rows.
function prepare(root) {
	for (const link of root.querySelectorAll("a[data-rows]:not([role])")) {
		link.setAttribute("role", "button");
		if (!link.hasAttribute("aria-expanded")) {
			link.setAttribute("aria-expanded", "false");
		}
	}
}

document.addEventListener("click", event => {
	const link = event.target.closest("a[data-rows], a[data-rest]");
	if (!link || event.ctrlKey || event.metaKey || event.shiftKey) {
		return;
	}
	event.preventDefault();
	act(link, link.dataset.rows ? toggle : more);
});

document.addEventListener("keydown", event => {
	if (event.key === " " && event.target.matches("a[data-rows]")) {
		event.preventDefault();
		event.target.click();
	}
});

prepare(document);
for (const place of document.querySelectorAll("[data-part]")) {
	place.setAttribute("aria-busy", "true");
	place.firstElementChild.textContent = "Searching…";
	part(place.dataset.part)
		.then(text => { place.innerHTML = text; })
		.catch(() => { place.firstElementChild.textContent = "Search these paths"; })
		.finally(() => place.removeAttribute("aria-busy"));
}
